package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.UnboundedStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** The scripts and the arithmetic in Java have the same results, whatever happens, for every mix of algorithms. */
class DecideScriptTest {

    private static final long START = 1_763_640_000_000_000L;
    /** Fifty years on; a century more still fits into the 53 bits of a Lua number. */
    private static final long END = START + 50 * 366 * 86_400_000_000L;
    private static final int STEPS = 2_500;
    /** Each held permit is stored. */
    private static final int MAX_CONCURRENT = 30;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final AtomicLong clock = new AtomicLong(START);
    private final LimitStore java = UnboundedStore.withTime(clock::get);
    private final List<Acquired> acquired = new ArrayList<>();
    /** For how many microseconds code has blocked the caller. */
    private long blockedFor;

    /** What a call was granted, as far as it is needed to give it back. */
    private record Acquired(Policy policy, StoreReply reply, PermitRequest requested) {
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 })
    void scriptsAndJavaAgreeOnRandomHistories(long seed) {
        Random random = new Random(seed);
        Policy policy = randomPolicy(random);
        String caller = "c" + seed;
        try (RedisStore redis = FrozenRedis.store(REDIS, clock::get)) {
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(50) == 0) {
                    policy = randomPolicy(random);
                }
                if (random.nextInt(150) == 0 || clock.get() > END) {
                    clock.set(START);
                    caller = "c" + seed + "-" + step;
                    acquired.clear();
                }
                clock.addAndGet(RandomLimits.step(policy.limits().get(0).limit(), random));

                boolean refunds = !acquired.isEmpty() && random.nextInt(6) == 0;
                PermitRequest requested = randomCall(random, policy, step + 1);
                boolean unblocks = !refunds && random.nextInt(80) == 0;
                blockedFor = random.nextInt(10) == 0 ? 1 + random.nextLong(100_000_000) : 0;
                StoreRequest request = refunds ? refund(random, caller)
                        : unblocks ? unblock(policy, caller)
                                : StoreRequests.requestOf(policy, requested, caller);

                StoreReply byScript = redis.decide(request).await().atMost(Duration.ofSeconds(10));
                StoreReply byJava = java.decide(request).await().atMost(Duration.ofSeconds(10));

                assertThat(byScript).as("seed %d, step %d at %d, %s of %s, refund %s, by Java %s", seed, step, clock.get(),
                        requested, policy, refunds, byJava).isEqualTo(byJava);
                if (!refunds && !unblocks && requested.kind() != OperationKind.PEEK && request.allowedBy(byJava)) {
                    acquired.add(new Acquired(policy, byJava, requested));
                }
            }
        }
    }

    private static StoreRequest unblock(Policy policy, String caller) {
        return new StoreRequest(
                List.of(StoreRequests.operation(policy.name(), LimitKey.PENALTY, caller, PlainOperation.RESET)));
    }

    private StoreRequest refund(Random random, String caller) {
        Acquired back = acquired.remove(random.nextInt(acquired.size()));
        List<LimitOperation> steps = new ArrayList<>();
        for (PolicyLimit limit : back.policy.limits()) {
            int at = steps.size();
            LimitState state = back.reply.usage(at).state(limit.name(), back.requested, back.reply.time(), true);
            long granted = back.requested.kind() == OperationKind.CHARGE ? back.requested.cost()
                    : back.reply.usage(at).granted();
            long count = random.nextBoolean() ? granted : 1 + random.nextLong(granted);
            steps.add(StoreRequests.operation(back.policy.name(), limit.storedName(), caller,
                    limit.rule().refund(state, back.reply.time(), count, back.requested.id())));
        }
        return new StoreRequest(steps);
    }

    private static PermitRequest randomCall(Random random, Policy policy, long id) {
        long burst = policy.limits().get(random.nextInt(policy.limits().size())).limit().burst();
        if (policy.holdsPermits()) {
            burst = Math.min(burst, MAX_CONCURRENT);
        }
        OperationKind kind = random.nextInt(3) == 0 ? randomKind(random, policy) : OperationKind.ACQUIRE;
        long cost = random.nextInt(4) == 0 ? Math.min(Limit.MAX_PERMITS, 1 + random.nextLong(burst + 3)) : 1;
        if (kind == OperationKind.PEEK && random.nextBoolean()) {
            return new PermitRequest(0, kind, id);
        }
        boolean inParts = kind == OperationKind.ACQUIRE_UP_TO || kind == OperationKind.PREFETCH;
        long least = !inParts ? cost : random.nextBoolean() ? 1 : 1 + random.nextLong(cost);
        return new PermitRequest(cost - cost % least, least, kind, id, random.nextInt(4) > 0);
    }

    private static OperationKind randomKind(Random random, Policy policy) {
        boolean prefetches = policy.limits().stream().map(limit -> limit.limit().algorithm())
                .allMatch(algorithm -> algorithm == Algorithm.TOKEN_BUCKET || algorithm == Algorithm.FIXED_WINDOW);
        return OperationKind.values()[random.nextInt(prefetches ? 5 : 4)];
    }

    private Policy randomPolicy(Random random) {
        Limit[] limits = new Limit[random.nextInt(4) == 0 ? 2 + random.nextInt(3) : 1];
        for (int i = 0; i < limits.length; i++) {
            limits[i] = RandomLimits.any(random);
        }
        return policy("policy", limits).withPenalty(RandomLimits.penalty(limits[0], random, () -> blockedFor));
    }
}
