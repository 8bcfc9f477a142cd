package io.quarkiverse.ratelimit.runtime.redis;

import static io.quarkiverse.ratelimit.runtime.store.StoreRequests.policy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.params.provider.Arguments;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequests;

/** StoreRequests a store in Redis or in memory, whose time is in the test's hands, for one caller after the other. */
final class StoreCalls implements AutoCloseable {

    /** Where it counts: in memory for long histories, in Redis for shorter ones. */
    enum Where {
        MEMORY(4, 4_000),
        REDIS(1, 600);

        private final int seeds;
        final int steps;

        Where(int seeds, int steps) {
            this.seeds = seeds;
            this.steps = steps;
        }
    }

    private static final long START = 1_763_640_000_000_000L;
    private static final long END = START + 50 * 366 * 86_400_000_000L;

    private final AtomicLong clock = new AtomicLong(START);
    private final RedisStore redis;
    private final LimitStore store;
    private String caller;
    private long calls;

    StoreCalls(Where where, RealRedis server) {
        redis = where == Where.REDIS ? FrozenRedis.store(server, clock::get) : null;
        store = redis == null ? new LocalStore(clock::get) : redis;
        nextCaller();
    }

    /** Those that count by time. */
    static List<Algorithm> algorithms() {
        return RandomLimits.ALGORITHMS.stream().filter(algorithm -> algorithm != Algorithm.CONCURRENCY).toList();
    }

    /** Every algorithm that counts by time, everywhere, with several seeds. */
    static Stream<Arguments> everywhere() {
        return Stream.of(Where.values()).flatMap(where -> algorithms().stream()
                .flatMap(algorithm -> IntStream.rangeClosed(1, where.seeds)
                        .mapToObj(seed -> Arguments.of(algorithm, where, seed))));
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    /** A caller without calls so far. */
    void nextCaller() {
        caller = UUID.randomUUID().toString();
        if (clock.get() > END) {
            clock.set(START);
        }
    }

    String caller() {
        return caller;
    }

    void useCaller(String caller) {
        this.caller = caller;
    }

    long now() {
        return clock.get();
    }

    void pass(Duration time) {
        clock.addAndGet(micros(time));
    }

    /** Lets some time pass that may go wrong with this limit. */
    void pass(Limit limit, Random random) {
        clock.addAndGet(Math.max(0, RandomLimits.step(limit, random)));
    }

    DecidedCall decide(Limit limit, PermitRequest requested) {
        Policy policy = policy("policy", limit);
        StoreReply reply = reply(policy, requested);
        boolean charged = reply.usage(0).granted() > 0 && requested.kind() != OperationKind.PEEK;
        return new DecidedCall(limit, requested, reply,
                reply.usage(0).state("l0", requested, reply.time(), charged));
    }

    DecidedCall decide(Limit limit, long cost) {
        return decide(limit, call(cost, OperationKind.ACQUIRE));
    }

    DecidedCall peek(Limit limit, long cost) {
        return decide(limit, call(cost, OperationKind.PEEK));
    }

    PermitRequest call(long cost, OperationKind kind) {
        return new PermitRequest(cost, kind, ++calls);
    }

    /** One permit, all there can be, or anything between. */
    static long anyCost(Limit limit, Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> limit.burst();
            case 1, 2 -> 1 + random.nextLong(limit.burst());
            case 3 -> 1 + random.nextLong(1 + limit.burst() / 4);
            default -> 1;
        };
    }

    StoreReply reply(Policy policy, PermitRequest requested) {
        return decide(StoreRequests.requestOf(policy, requested, caller));
    }

    void refund(DecidedCall acquired, long count) {
        decide(StoreRequests.operation("policy", caller,
                PolicyLimit.ruleOf(acquired.limit).refund(acquired.state, acquired.reply.time(), count,
                        acquired.requested.id())));
    }

    private StoreReply decide(StoreRequest request) {
        return store.decide(request).await().atMost(Duration.ofSeconds(10));
    }

    @Override
    public void close() {
        if (redis != null) {
            redis.close();
        }
    }

    /** A call that was decided. */
    record DecidedCall(Limit limit, PermitRequest requested, StoreReply reply, LimitState state) {

        boolean allowed() {
            return granted() > 0;
        }

        long granted() {
            return reply.usage(0).granted();
        }

        /** When it goes ahead. */
        long goesAt() {
            return reply.time() + micros(state.delay());
        }
    }
}
