package io.quarkiverse.ratelimit.runtime.entry.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;

/** The headers that a client receives, from a server without an application. */
class ResponseHeadersTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.250Z");
    private static final Limit THREE_AN_HOUR = Limit.tokenBucket(3).refill(3, Duration.ofHours(1));
    private static final Vertx VERTX = Vertx.vertx();

    @AfterAll
    static void close() {
        VERTX.close().toCompletionStage().toCompletableFuture().join();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            RATELIMIT             | ratelimit, ratelimit-policy
            X_RATELIMIT           | x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset
            RATELIMIT,X_RATELIMIT | ratelimit, ratelimit-policy, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset
                                  |
            """)
    void onlyTheChosenHeadersAreWritten(String chosen, String written) throws Exception {
        Set<HeaderFamily> families = EnumSet.noneOf(HeaderFamily.class);
        Stream.ofNullable(chosen).flatMap(names -> Stream.of(names.split(","))).map(HeaderFamily::valueOf)
                .forEach(families::add);
        List<String> expected = written == null ? List.of() : List.of(written.split(", "));

        for (boolean allowed : new boolean[] { true, false }) {
            HttpResponse<Void> response = response(families, outcome(quotes(allowed, Duration.ofMinutes(20))));

            assertThat(response.headers().map().keySet()).filteredOn(name -> name.contains("ratelimit"))
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void headersContainTheLimitAndItsState() throws Exception {
        HttpResponse<Void> response = response(EnumSet.of(HeaderFamily.RATELIMIT, HeaderFamily.X_RATELIMIT),
                outcome(quotes(true, Duration.ofMinutes(20))));

        assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"quotes\";q=3;w=3600");
        assertThat(header(response, "RateLimit")).isEqualTo("\"quotes\";r=2;t=1200");
        assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("3");
        assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("2");
        assertThat(header(response, "X-RateLimit-Reset")).isEqualTo("" + (NOW.getEpochSecond() + 3601));
    }

    @ParameterizedTest
    @CsvSource({ "PT20M, 1200", "PT20M0.000000001S, 1201", "PT19M59.999999S, 1200", "PT0.000001S, 1", "PT1S, 1" })
    void secondsAreRoundedUp(Duration untilNext, long seconds) throws Exception {
        HttpResponse<Void> response = response(EnumSet.of(HeaderFamily.RATELIMIT), outcome(quotes(true, untilNext)));

        assertThat(header(response, "RateLimit")).isEqualTo("\"quotes\";r=2;t=" + seconds);
    }

    /** {@code X-RateLimit} has room for one limit: the one that denies. */
    @Test
    void severalLimitsAreListedAndOneDetermines() throws Exception {
        Decision day = decision("day", true, 9, state("day", Limit.tokenBucket(9).refill(9, Duration.ofDays(1)), true, 9,
                Duration.ZERO));
        HttpResponse<Void> response = response(EnumSet.of(HeaderFamily.RATELIMIT, HeaderFamily.X_RATELIMIT),
                outcome(day, quotes(false, Duration.ofSeconds(30))));

        assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"day\";q=9;w=86400, \"quotes\";q=3;w=3600");
        assertThat(header(response, "RateLimit")).isEqualTo("\"day\";r=9, \"quotes\";r=0;t=30");
        assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("3");
        assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("0");
    }

    @Test
    void nothingIsWrittenWhereNothingIsLimited() throws Exception {
        HttpResponse<Void> response = response(EnumSet.of(HeaderFamily.RATELIMIT, HeaderFamily.X_RATELIMIT),
                Outcome.NOT_LIMITED);

        assertThat(response.headers().map().keySet()).noneMatch(name -> name.contains("ratelimit"));
    }

    private static Decision quotes(boolean allowed, Duration untilNext) {
        return decision("quotes", allowed, allowed ? 2 : 0,
                state("quotes", THREE_AN_HOUR, allowed, allowed ? 2 : 0, untilNext));
    }

    private static LimitState state(String name, Limit limit, boolean allowed, long remaining, Duration untilNext) {
        return new LimitUsage(name, limit, allowed, limit.burst(), remaining, Duration.ZERO,
                allowed ? Duration.ZERO : untilNext, untilNext, Duration.ofHours(1));
    }

    private static Decision decision(String name, boolean allowed, long remaining, LimitState state) {
        Policy policy = new Policy(name, List.of(new PolicyLimit(name, state.definition())), KeyTemplate.GLOBAL,
                MissingKey.IP, OnRedisFailure.LOCAL, Mode.ENFORCE, true);
        return Decision.recorded(policy, "global", 1, allowed ? 1 : 0, Source.REDIS, List.of(state),
                allowed ? null : DenialReason.LIMIT_REACHED, NOW);
    }

    private static Outcome outcome(Decision... decisions) {
        return new Outcome(List.of(decisions));
    }

    private static String header(HttpResponse<Void> response, String name) {
        return response.headers().firstValue(name).orElseThrow();
    }

    /** Of a server that writes these headers for this outcome. */
    private static HttpResponse<Void> response(Set<HeaderFamily> families, Outcome outcome) throws Exception {
        Settings settings = new Settings(true, Store.REDIS, "rate-limit", Duration.ofSeconds(1), OnRedisFailure.LOCAL, 1, 1,
                families, 64, 0, null, List.of(), new TreeMap<>(), List.of(), new TreeMap<>());
        ResponseHeaders headers = new ResponseHeaders(settings, Clock.fixed(NOW, ZoneOffset.UTC));
        Router router = Router.router(VERTX);
        router.route().handler(routing -> {
            headers.write(headers.content(null, outcome, routing), routing.response().headers());
            routing.end();
        });
        HttpServer server = VERTX.createHttpServer().requestHandler(router).listen(0, "127.0.0.1").toCompletionStage()
                .toCompletableFuture().join();
        try {
            URI uri = URI.create("http://127.0.0.1:" + server.actualPort());
            return HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
        } finally {
            server.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
