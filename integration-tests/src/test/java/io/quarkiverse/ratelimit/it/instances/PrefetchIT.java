package io.quarkiverse.ratelimit.it.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.it.instances.fixtures.Instance;
import redis.embedded.RedisServer;

/** Four instances that acquire permits ahead allow exactly the limit together. */
@Tag("slow")
class PrefetchIT {

    private static final int LIMIT = 5_000;
    private static final int PREFETCH = 200;
    private static final int CALLERS_OF_EACH = 64;
    private static final int CALLS_OF_EACH = 30;
    private static final Duration SOON = Duration.ofSeconds(30);

    private final List<Instance> instances = new ArrayList<>();
    private final AtomicInteger allowed = new AtomicInteger();
    private RedisServer redis;

    @BeforeEach
    void start() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        redis = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
        redis.start();
    }

    @AfterEach
    void stop() throws Exception {
        for (Instance instance : instances) {
            instance.close();
        }
        redis.stop();
    }

    @Test
    void fourInstancesAllowExactlyTheLimit() throws Exception {
        startInstances(4);

        assertThat(callAll().awaitTermination(120, TimeUnit.SECONDS)).isTrue();

        assertThat(allowed.get()).as("what instances acquired ahead is not yet refunded").isBetween(LIMIT - 4 * PREFETCH,
                LIMIT);
        await().atMost(SOON).until(() -> callEach() == 0 && allowed.get() >= LIMIT);
        assertThat(allowed).hasValue(LIMIT);
    }

    @Test
    void killedInstanceLosesAtMostWhatItHasAcquiredAhead() throws Exception {
        startInstances(4);
        ExecutorService callers = callAll();
        await().atMost(SOON).until(() -> allowed.get() > LIMIT / 3);
        instances.remove(0).kill();

        assertThat(callers.awaitTermination(120, TimeUnit.SECONDS)).isTrue();

        // of the calls that were under way some were counted, whose responses are lost
        int least = LIMIT - PREFETCH - CALLERS_OF_EACH;
        await().atMost(SOON).until(() -> callEach() == 0 && allowed.get() >= least);
        await().during(Duration.ofSeconds(1)).atMost(SOON).until(() -> callEach() == 0);
        assertThat(allowed.get()).isBetween(least, LIMIT);
    }

    @Test
    void stoppedInstanceRefundsWhatItHasAcquiredAhead() throws Exception {
        startInstances(1, "-Dquarkus.rate-limit.policies.prefetched.prefetch-time=1m");
        for (int call = 0; call < 50; call++) {
            assertThat(call(instances.get(0))).isTrue();
        }

        assertThat(instances.remove(0).stop(SOON)).isTrue();

        startInstances(1);
        assertThat(
                instances.get(0).get("/limited/prefetched", "any").join().headers().firstValueAsLong("X-RateLimit-Remaining"))
                .hasValue(LIMIT - 51);
    }

    private void startInstances(int count, String... options) throws Exception {
        for (int i = 0; i < count; i++) {
            instances.add(Instance.start(redis.ports().get(0), options));
        }
    }

    /** Many callers of each instance at once. */
    private ExecutorService callAll() {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS_OF_EACH * instances.size());
        for (Instance instance : List.copyOf(instances)) {
            for (int caller = 0; caller < CALLERS_OF_EACH; caller++) {
                callers.execute(() -> {
                    for (int call = 0; call < CALLS_OF_EACH; call++) {
                        call(instance);
                    }
                });
            }
        }
        callers.shutdown();
        return callers;
    }

    /** How many instances have allowed another call. */
    private int callEach() {
        int before = allowed.get();
        instances.forEach(this::call);
        return allowed.get() - before;
    }

    private boolean call(Instance instance) {
        boolean isAllowed = instance.get("/limited/prefetched", "any").thenApply(response -> response.statusCode() == 200)
                .exceptionally(killed -> false).join();
        allowed.addAndGet(isAllowed ? 1 : 0);
        return isAllowed;
    }
}
