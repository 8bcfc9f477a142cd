package io.quarkiverse.ratelimit.runtime.engine.limits;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.smallrye.mutiny.Uni;

/** A hanging resolver bean and a Redis that does not reply cost one timeout together. */
class BeanResolversHangingTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @Test
    void sharesOneTimeoutWithRedis() {
        Policy policy = new Policy("hundred",
                policy("", Limit.tokenBucket(100).refill(1, Duration.ofDays(1))).limits(), KeyParser.parse("bean:hangs", null),
                MissingKey.SHARED, OnRedisFailure.LOCAL, Mode.ENFORCE, true);
        CallRules rules = CallRules.of(CallRules.ROUTES, List.of(new Charge(policy, PermitRequest.of(1))));
        LocalStore local = new LocalStore(() -> System.nanoTime() / 1000);
        try (TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
                RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), TIMEOUT)) {
            BeanResolvers hanging = new BeanResolvers(Map.of("hangs", List.of(() -> call -> Uni.createFrom().nothing())),
                    Map.of(), TIMEOUT, () -> 0, new Timers(REDIS.vertx));
            Engine engine = new TestLimiter(store, local, REDIS.vertx, TIMEOUT, new DenialCache(System::nanoTime),
                    hanging, 100,
                    1).engine;
            await().atMost(Duration.ofSeconds(20)).until(() -> source(engine, rules) == Source.REDIS);
            proxy.swallow();

            long requested = System.nanoTime();
            Source source = source(engine, rules);

            assertThat(source).isEqualTo(Source.FALLBACK);
            assertThat(Duration.ofNanos(System.nanoTime() - requested)).isBetween(TIMEOUT,
                    TIMEOUT.multipliedBy(17).dividedBy(10));
        }
    }

    private static Source source(Engine engine, CallRules rules) {
        return engine.decide(rules, Caller.UNKNOWN, List.of()).await().atMost(Duration.ofSeconds(10)).decisions().get(0)
                .source();
    }
}
