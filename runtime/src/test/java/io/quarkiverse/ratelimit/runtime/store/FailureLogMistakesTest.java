package io.quarkiverse.ratelimit.runtime.store;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.UnreliableStore;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.vertx.core.Vertx;

/** An exception that is not a failure of Redis is an error once a minute, and its calls are decided by the fallback. */
class FailureLogMistakesTest {

    private static final Vertx VERTX = Vertx.vertx();
    private static final Policy POLICY = policy("ten", Limit.tokenBucket(10).refill(1, Duration.ofDays(1)));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final AtomicLong nanos = new AtomicLong();
    private final LocalStore local = new LocalStore(() -> nanos.get() / 1_000);
    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void close() {
        log.close();
    }

    @AfterAll
    static void closeVertx() {
        VERTX.close();
    }

    @Test
    void mistakeIsLoggedOnceAMinute() {
        FailureLog mistakes = FailureLog.ofMistakes();

        for (int minute = 1; minute <= 3; minute++) {
            for (int call = 1; call <= 100; call++) {
                mistakes.failed(new ArithmeticException("impossible"), nanos.get());
            }
            assertThat(log.errors()).isEqualTo(minute);
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        }
    }

    @Test
    void callsAreDecidedByTheFallback() {
        UnreliableStore mistaken = new UnreliableStore(local);
        mistaken.fail();
        TestLimiter limiter = new TestLimiter(mistaken, local, VERTX, Duration.ofSeconds(10));

        for (int call = 1; call <= 11; call++) {
            Decision decision = limiter.decide(POLICY, "caller", PermitRequest.of(1)).decisions().get(0);
            assertThat(decision).returns(Source.FALLBACK, Decision::source).returns(call <= 10, Decision::allowed);
        }

        assertThat(log.errors()).isEqualTo(1);
    }

    @Test
    void outageOfRedisIsNoMistake() {
        try (TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
                RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), Duration.ofMillis(50))) {
            proxy.swallow();
            TestLimiter limiter = new TestLimiter(store, local, REDIS.vertx, Duration.ofMillis(50));

            Decision decision = limiter.decide(POLICY, "caller", PermitRequest.of(1)).decisions().get(0);

            assertThat(decision.source()).isEqualTo(Source.FALLBACK);
            assertThat(log.errors()).isZero();
        }
    }
}
