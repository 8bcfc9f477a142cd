package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** The application keeps nothing of its callers while Redis counts them, and Redis only for as long as it matters. */
class ManyCallersTest {

    private static final int MILLION = 1_000_000;
    private static final int AT_ONCE = 512;
    /** A reference takes 4 bytes per caller, its key about 80. */
    private static final long FEW_BYTES = 30;
    /** The first round is a warm-up. A leak grows the heap in every other round; anything else only in some. */
    private static final int ROUNDS = 6;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Service.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.many.permits=10
                    quarkus.rate-limit.policies.many.period=1s
                    quarkus.rate-limit.policies.window.algorithm=fixed-window
                    quarkus.rate-limit.policies.window.permits=10
                    quarkus.rate-limit.policies.window.period=1s
                    quarkus.rate-limit.policies.shared.permits=10
                    quarkus.rate-limit.policies.shared.period=1h
                    quarkus.rate-limit.policies.shared.missing-key=shared
                    quarkus.rate-limit.policies.shared.mode=shadow
                    """);

    @Inject
    Service service;

    @Inject
    RedisDataSource redis;

    @Inject
    @RateLimitPolicy("window")
    RateLimiter window;

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
    }

    @Test
    @Tag("slow")
    void millionCallersLeaveNothingBehind() {
        int callers = MILLION / ROUNDS;

        assertThat(memoryKeptOf(callers, caller -> service.call("caller " + caller))).isLessThan(FEW_BYTES * callers);
        await().atMost(Duration.ofSeconds(60)).until(() -> redis.execute("DBSIZE").toInteger() == 0);
    }

    @Test
    void callersThatWouldWaitLeaveNothingBehind() {
        int callers = 10_000;

        long kept = memoryKeptOf(callers, caller -> window.reactive().forKey("caller " + caller).tryAcquire(1,
                Duration.ofMillis(1)));

        assertThat(kept).isLessThan(FEW_BYTES * callers);
    }

    @Test
    void callersWithoutKeyAreOneKey() {
        send(10_000, caller -> service.shared(""));

        assertThat(redis.key().keys("*:shared:*")).containsExactly("rate-limit:{key!}:shared:default");
    }

    /** The median growth of the heap in a round, in bytes. */
    private static long memoryKeptOf(int callers, LongFunction<Uni<?>> call) {
        long[] growth = new long[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long first = (long) round * callers;
            long before = usedMemory();
            send(callers, caller -> call.apply(first + caller));
            growth[round] = usedMemory() - before;
        }
        return LongStream.of(growth).skip(1).sorted().skip((ROUNDS - 1) / 2).findFirst().orElseThrow();
    }

    private static void send(int callers, LongFunction<Uni<?>> call) {
        Multi.createFrom().range(0, callers).onItem().transformToUni(call::apply).merge(AT_ONCE)
                .collect().last().await().atMost(Duration.ofMinutes(5));
    }

    private static long usedMemory() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @ApplicationScoped
    public static class Service {

        @RateLimited("many")
        Uni<String> call(@RateLimitKey String user) {
            return Uni.createFrom().item("done");
        }

        @RateLimited("shared")
        Uni<String> shared(@RateLimitKey String user) {
            return Uni.createFrom().item("done");
        }
    }
}
