package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.UnboundedStore;

/**
 * Sends the same requests of one caller to Redis and to the store in memory, requires equal replies, and uses the test's time.
 */
final class BothStores implements AutoCloseable {

    private final AtomicLong clock = new AtomicLong();
    private final RedisStore redis;
    private final LimitStore memory = UnboundedStore.withTime(clock::get);
    private final String caller = UUID.randomUUID().toString();

    /** The part of a decision that a refund needs. */
    record Acquired(Limit limit, long at, long id, LimitState state) {
    }

    BothStores(RealRedis redis) {
        this.redis = FrozenRedis.store(redis, clock::get);
    }

    /** The key of a limit in Redis. */
    String key() {
        return "test:{" + caller + "}:policy:l0";
    }

    void at(String instant) {
        clock.set(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(instant)));
    }

    void pass(Duration time) {
        clock.addAndGet(time.toNanos() / 1_000);
    }

    LimitState acquire(Limit limit, long cost) {
        return decide(limit, new PermitRequest(cost, OperationKind.ACQUIRE, 0)).state;
    }

    LimitState peek(Limit limit) {
        return decide(limit, new PermitRequest(1, OperationKind.PEEK, 0)).state;
    }

    Acquired decide(Limit limit, PermitRequest requested) {
        LimitRule rule = PolicyLimit.ruleOf(limit);
        StoreReply reply = decide(rule.acquire(requested));
        boolean charged = reply.usage(0).granted() > 0 && requested.kind() != OperationKind.PEEK;
        return new Acquired(limit, reply.time(), requested.id(), reply.usage(0).state("l0", requested, reply.time(), charged));
    }

    void refund(Acquired acquired, long count) {
        decide(PolicyLimit.ruleOf(acquired.limit).refund(acquired.state, acquired.at, count, acquired.id));
    }

    void reset() {
        decide(PlainOperation.RESET);
    }

    private StoreReply decide(Operation operation) {
        StoreRequest request = StoreRequests.operation("policy", caller, operation);
        StoreReply byScript = redis.decide(request).await().atMost(Duration.ofSeconds(10));
        assertThat(byScript).isEqualTo(memory.decide(request).await().atMost(Duration.ofSeconds(10)));
        return byScript;
    }

    @Override
    public void close() {
        redis.close();
    }
}
