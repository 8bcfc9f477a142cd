package io.quarkiverse.ratelimit.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.net.URL;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.it.faults.fixtures.Counted;
import io.quarkiverse.ratelimit.it.faults.fixtures.Episode;
import io.quarkiverse.ratelimit.it.faults.fixtures.Fault;
import io.quarkiverse.ratelimit.it.faults.fixtures.Fault.Counts;
import io.quarkiverse.ratelimit.it.faults.fixtures.FaultyRedis;
import io.quarkiverse.ratelimit.it.faults.fixtures.LimiterLog;
import io.quarkiverse.ratelimit.it.faults.fixtures.Load;
import io.quarkiverse.ratelimit.it.faults.fixtures.Stage;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.Vertx;

/**
 * Random faults come and go and leave nothing behind. {@code -Dsoak=PT10M} sets the length, {@code -Dsoak.seed} repeats a run.
 */
@Tag("slow")
@QuarkusTest
@QuarkusTestResource(FaultyRedis.class)
class SoakTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration LENGTH = Duration.parse(System.getProperty("soak", "PT15S"));
    private static final long SEED = Long.getLong("soak.seed", new Random().nextInt(1_000_000));
    private static final long MORE_HEAP = 64 << 20;
    private static final int MORE_THREADS = 24;
    private static final List<Fault> FAULTS = Stream.of(Fault.values())
            .filter(fault -> fault.counts != Counts.LOST && fault != Fault.LOADING).toList();

    FaultyRedis redis;

    @Inject
    RateLimiters limiters;

    @Inject
    Vertx vertx;

    @ConfigProperty(name = "quarkus.rate-limit.timeout")
    Duration timeout;

    @ConfigProperty(name = "quarkus.vertx.event-loops-pool-size")
    int eventLoops;

    @TestHTTPResource("/")
    URL address;

    @Test
    void faultsLeaveNothingBehind() throws Exception {
        Load.warmUp(address);
        long heap = heap();
        int threads = threads();
        String caller = "soak " + SEED;
        Load load = new Load(address, caller);
        Stage stage = new Stage(redis, limiters, vertx, load, caller);
        System.out.println("-Dsoak=" + LENGTH + " -Dsoak.seed=" + SEED);

        Episode episode;
        try (LimiterLog log = new LimiterLog()) {
            try (load) {
                long began = System.nanoTime();
                soak(stage, new Random(SEED));
                await().atMost(LONG).until(() -> load.isDecidedByRedis(true, 10) && log.beginnings() == log.ends());
                episode = new Episode(List.of(), List.of(), began, System.nanoTime());
            }
            episode = new Episode(load.responses(), log.entries(), episode.started(), episode.ended());
        }

        Counted counted = new Counted(limiters, timeout, caller);
        Counted.assertResponses(episode);
        counted.assertCounts(episode, Counts.PERHAPS_MORE);
        counted.assertNothingIsHeld();
        await().untilAsserted(() -> assertThat(redis.connections()).isLessThanOrEqualTo(eventLoops));
        assertThat(threads()).isLessThan(threads + MORE_THREADS);
        episode = null;
        assertThat(heap()).isLessThan(heap + MORE_HEAP);
    }

    private static void soak(Stage stage, Random random) {
        long began = System.nanoTime();
        while (System.nanoTime() - began < LENGTH.toNanos()) {
            Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
            fault.start(stage);
            stage.callAtOnce(random.nextInt(100));
            stage.awaitCalls(1 + random.nextInt(30));
            fault.end(stage);
            stage.awaitCalls(1 + random.nextInt(30));
        }
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
