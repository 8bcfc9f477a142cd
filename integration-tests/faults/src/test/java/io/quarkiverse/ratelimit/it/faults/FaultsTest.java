package io.quarkiverse.ratelimit.it.faults;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.it.faults.fixtures.CallResponse;
import io.quarkiverse.ratelimit.it.faults.fixtures.Counted;
import io.quarkiverse.ratelimit.it.faults.fixtures.Endpoint;
import io.quarkiverse.ratelimit.it.faults.fixtures.Episode;
import io.quarkiverse.ratelimit.it.faults.fixtures.Fault;
import io.quarkiverse.ratelimit.it.faults.fixtures.Fault.Sight;
import io.quarkiverse.ratelimit.it.faults.fixtures.FaultyRedis;
import io.quarkiverse.ratelimit.it.faults.fixtures.Load;
import io.quarkiverse.ratelimit.it.faults.fixtures.Stage;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.Vertx;

/**
 * During every fault of Redis callers get the response that their policy defines, in time, and are never counted twice. The
 * measurements are written to {@code target/faults.adoc}.
 */
@Tag("slow")
@QuarkusTest
@QuarkusTestResource(FaultyRedis.class)
class FaultsTest {

    private static final Duration MARGIN = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final int FEW_IN_MEMORY = 3;
    private static final Map<Fault, String> MEASURED = new TreeMap<>();

    FaultyRedis redis;

    @Inject
    RateLimiters limiters;

    @Inject
    Vertx vertx;

    @Inject
    MeterRegistry meters;

    @ConfigProperty(name = "quarkus.rate-limit.timeout")
    Duration timeout;

    @ConfigProperty(name = "quarkus.vertx.event-loops-pool-size")
    int eventLoops;

    @TestHTTPResource("/")
    URL address;

    @BeforeEach
    void warmUp() throws InterruptedException {
        if (MEASURED.isEmpty()) {
            Load.warmUp(address);
        }
    }

    @ParameterizedTest
    @EnumSource
    void callersGetTheResponseThatTheirPolicyDefines(Fault fault) throws Exception {
        String caller = fault.name();
        Load load = new Load(address, caller);
        Map<Endpoint, Double> before = fallbacks();
        Map<String, Long> resultsBefore = results(fault);
        Episode episode = Episode.of(fault, new Stage(redis, limiters, vertx, load, caller),
                () -> given().get("/q/health").then().statusCode(200));
        note(fault, episode);
        Counted counted = new Counted(limiters, timeout, caller);

        Counted.assertResponses(episode);
        assertThat(episode.longest()).isLessThan(timeout.plus(MARGIN));
        assertThat(episode.untilDecidedAgain()).isLessThan(SOON);
        switch (fault.sight) {
            case NOTHING -> assertThat(episode.fallbacks()).isEmpty();
            case MOMENT -> assertThat(episode.fallbacks()).allMatch(response -> response.started() - episode.ended() < 0);
            case UNAVAILABLE, SILENT -> assertUnavailable(episode, fault.sight);
        }
        counted.assertCounts(episode, fault.counts);
        counted.assertNothingIsHeld();
        for (Endpoint endpoint : List.of(Endpoint.LOCAL, Endpoint.ALLOW, Endpoint.DENY)) {
            assertThat(fallbacks().get(endpoint) - before.get(endpoint)).as("rate.limit.fallbacks of " + endpoint)
                    .isEqualTo(episode.fallbacks(endpoint).size());
        }
        if (fault.sight != Sight.MOMENT) {
            assertThat(results(fault)).as("rate.limit.redis")
                    .allSatisfy((result, count) -> assertThat(count).as(result).isGreaterThan(resultsBefore.get(result)));
        }
        await().untilAsserted(() -> assertThat(redis.connections()).isLessThanOrEqualTo(eventLoops));
    }

    private void assertUnavailable(Episode episode, Sight sight) {
        assertThat(episode.fallbacks(Endpoint.LOCAL)).isNotEmpty().allMatch(CallResponse::isAllowed);
        assertThat(episode.fallbacks(Endpoint.ALLOW)).isNotEmpty().allMatch(CallResponse::isAllowed);
        assertThat(episode.fallbacks(Endpoint.DENY)).isNotEmpty().allMatch(response -> response.status() == 503);
        assertThat(episode.fallbacks(Endpoint.FEW)).filteredOn(CallResponse::isAllowed)
                .hasSize(Math.min(FEW_IN_MEMORY, episode.fallbacks(Endpoint.FEW).size()));
        assertThat(episode.usual()).isLessThan(timeout.multipliedBy(3).dividedBy(4));
        assertThat(episode.outages()).isEqualTo(1);
        if (sight == Sight.SILENT) {
            assertThat(episode.longest()).isGreaterThanOrEqualTo(timeout.dividedBy(10).multipliedBy(9));
        }
    }

    private Map<Endpoint, Double> fallbacks() {
        Map<Endpoint, Double> fallbacks = new TreeMap<>();
        for (Endpoint endpoint : Endpoint.values()) {
            fallbacks.put(endpoint, meters.get("rate.limit.fallbacks").tag("policy", endpoint.policy()).counter().count());
        }
        return fallbacks;
    }

    private Map<String, Long> results(Fault fault) {
        Map<String, Long> results = new TreeMap<>();
        for (String result : fault.results()) {
            results.put(result, meters.get("rate.limit.redis").tag("result", result).timer().count());
        }
        return results;
    }

    private static void note(Fault fault, Episode episode) {
        String measured = "|%s |%d of %d |%d |%d |%d |%d%n".formatted(fault, episode.fallbacks().size(),
                episode.responses().size(),
                episode.outages(), episode.longest().toMillis(), episode.usual().toMillis(),
                episode.untilDecidedAgain().toMillis());
        System.out.print(measured);
        MEASURED.put(fault, measured);
    }

    @AfterAll
    static void write() throws IOException {
        Files.writeString(Path.of("target", "faults.adoc"),
                "[cols=\"3,2,1,1,1,1\"]\n|===\n|Fault |Not decided by Redis |Warnings |Longest call, ms |Median then, ms"
                        + " |Decides again after, ms\n\n" + String.join("", MEASURED.values()) + "|===\n");
    }
}
