package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.UnboundedStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/**
 * A policy and its overflows are decided in one request as if each was asked by a request of its own, the next one if the one
 * before denies; by the script and in Java alike, whatever happens.
 */
class OverflowScriptTest {

    private static final long START = 1_763_640_000_000_000L;
    /** Fifty years on; a century more still fits into the 53 bits of a Lua number. */
    private static final long END = START + 50 * 366 * 86_400_000_000L;
    private static final int STEPS = 2_000;
    private static final List<Algorithm> ALGORITHMS = RandomLimits.ALGORITHMS.stream()
            .filter(algorithm -> algorithm != Algorithm.CONCURRENCY).toList();

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final AtomicLong clock = new AtomicLong(START);
    private final LimitStore java = UnboundedStore.withTime(clock::get);
    /** Gets a request for each policy. */
    private final LimitStore oneByOne = UnboundedStore.withTime(clock::get);
    private final List<Acquired> acquired = new ArrayList<>();
    /** For how many microseconds code has blocked the caller of a policy. */
    private final long[] blockedFor = new long[8];

    /** What a policy was charged. */
    private record Acquired(KeyedCharge keyed, StoreReply reply) {
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
    void oneRequestDecidesLikeOneForEachPolicy(long seed) {
        Random random = new Random(seed);
        List<Policy> chain = randomPolicies(random, "p");
        String caller = "c" + seed;
        try (RedisStore redis = FrozenRedis.store(REDIS, clock::get)) {
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(50) == 0) {
                    chain = randomPolicies(random, "p");
                }
                if (random.nextInt(150) == 0 || clock.get() > END) {
                    clock.set(START);
                    caller = "c" + seed + "-" + step;
                    acquired.clear();
                }
                clock.addAndGet(RandomLimits.step(chain.get(0).limits().get(0).limit(), random));
                randomBlocks(random);
                String where = "seed %d, step %d".formatted(seed, step);
                if (!acquired.isEmpty() && random.nextInt(5) == 0) {
                    refund(random, redis, where);
                    continue;
                }
                PermitRequest requested = randomCall(random, chain, step + 1);
                List<KeyedCharge> asked = chained(chain, requested, caller);
                // the first policy may be in another slot
                Call call = call(asked.subList(asked.size() > 1 && random.nextInt(4) == 0 ? 1 : 0, asked.size()));

                StoreReply byScript = decided(redis, call.request());
                StoreReply byJava = decided(java, call.request());
                List<LimitReply> expected = askOneByOne(call, requested, where);

                assertThat(byScript).as(where + " of " + chain + " " + requested).isEqualTo(byJava);
                assertThat(byJava.limits()).as(where + " of " + chain + " " + requested).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 11, 12, 13, 14, 15, 16, 17, 18 })
    void scriptAndJavaAgreeOnSeveralChainsAndShadowPolicies(long seed) {
        Random random = new Random(seed);
        String caller = "c" + seed;
        try (RedisStore redis = FrozenRedis.store(REDIS, clock::get)) {
            List<List<Policy>> policies = randomChains(random);
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(50) == 0) {
                    policies = randomChains(random);
                }
                if (random.nextInt(150) == 0 || clock.get() > END) {
                    clock.set(START);
                    caller = "c" + seed + "-" + step;
                }
                clock.addAndGet(RandomLimits.step(policies.get(0).get(0).limits().get(0).limit(), random));
                randomBlocks(random);
                PermitRequest requested = randomCall(random, policies.get(0), step + 1);
                List<KeyedCharge> charges = new ArrayList<>();
                for (List<Policy> chain : policies) {
                    charges.addAll(chained(chain, requested, caller));
                }
                if (random.nextInt(4) == 0) {
                    KeyedCharge last = charges.remove(charges.size() - 1);
                    charges.add(last.first() == null ? last : last.with(last.charge().withoutLimits()));
                }
                Call call = call(charges);

                assertThat(decided(redis, call.request())).as("seed %d, step %d of %s %s %s", seed, step, policies, requested,
                        call.request().groups()).isEqualTo(decided(java, call.request()));
            }
        }
    }

    /** Asks by requests of their own, and returns the replies that one request must have. */
    private List<LimitReply> askOneByOne(Call call, PermitRequest requested, String where) {
        List<LimitReply> replies = new ArrayList<>();
        boolean isDecided = false, isPaid = false;
        for (KeyedCharge keyed : call.charges()) {
            if (isDecided) {
                keyed.charge().storedNames().forEach(name -> replies.add(null));
                continue;
            }
            StoreReply reply = decided(oneByOne, alone(keyed.charge().withoutCountingDenials(), keyed));
            replies.addAll(reply.limits());
            isPaid = reply.allows(0, reply.limits().size());
            isDecided = isPaid || !keyed.isOverflow() && !keyed.charge().blockedFor(reply, 0).isZero();
            if (isPaid && requested.kind() != OperationKind.PEEK) {
                acquired.add(new Acquired(keyed, reply));
            }
        }
        if (!isDecided) {
            replies.clear();
            call.charges().forEach(keyed -> replies.addAll(decided(oneByOne, alone(keyed.charge(), keyed)).limits()));
        }
        for (int i = 0; i < replies.size(); i++) {
            if (replies.get(i) == null) {
                replies.set(i, call.request().operations().get(i).operation().reply(LimitReply.NOT_ASKED, 0, 0, 0, 0));
            }
        }
        return replies;
    }

    private static StoreRequest alone(Charge charge, KeyedCharge keyed) {
        return new Call(charge.requested().id(), charge, keyed.key(), null).request();
    }

    private static StoreReply decided(LimitStore store, StoreRequest request) {
        return store.decide(request).await().atMost(Duration.ofSeconds(10));
    }

    private static Call call(List<KeyedCharge> charges) {
        return new Call(charges.get(0).charge().requested().id(), charges, null);
    }

    private static List<KeyedCharge> chained(List<Policy> chain, PermitRequest requested, String caller) {
        String first = chain.size() == 1 ? null : chain.get(0).name();
        return chain.stream().map(policy -> new KeyedCharge(new Charge(policy, requested), caller, first)).toList();
    }

    /** Refunds everywhere what a policy was charged. */
    private void refund(Random random, RedisStore redis, String where) {
        Acquired back = acquired.remove(random.nextInt(acquired.size()));
        PermitRequest requested = back.keyed.charge().requested();
        List<LimitOperation> steps = new ArrayList<>();
        for (PolicyLimit limit : back.keyed.policy().limits()) {
            LimitState state = back.reply.usage(steps.size()).state(limit.name(), requested, back.reply.time(), true);
            long count = limit.countsCost() ? requested.cost() : 1;
            steps.add(StoreRequests.operation(back.keyed.policy().name(), limit.storedName(), back.keyed.key(),
                    limit.rule().refund(state, back.reply.time(), count, requested.id())));
        }
        StoreRequest refund = new StoreRequest(steps);

        StoreReply byJava = decided(java, refund);
        assertThat(decided(redis, refund)).as(where).isEqualTo(byJava);
        assertThat(decided(oneByOne, refund)).as(where).isEqualTo(byJava);
    }

    private static PermitRequest randomCall(Random random, List<Policy> chain, long id) {
        Policy policy = chain.get(random.nextInt(chain.size()));
        long burst = policy.limits().get(random.nextInt(policy.limits().size())).limit().burst();
        long cost = random.nextInt(4) == 0 ? Math.min(Limit.MAX_PERMITS, 1 + random.nextLong(burst + 3)) : 1;
        if (random.nextInt(8) == 0) {
            return new PermitRequest(random.nextBoolean() ? 0 : cost, OperationKind.PEEK, id);
        }
        PermitRequest requested = new PermitRequest(cost, OperationKind.ACQUIRE, id);
        return random.nextInt(4) > 0 ? requested.asRefundable() : requested;
    }

    private void randomBlocks(Random random) {
        for (int i = 0; i < blockedFor.length; i++) {
            blockedFor[i] = random.nextInt(10) == 0 ? 1 + random.nextLong(100_000_000) : 0;
        }
    }

    private List<List<Policy>> randomChains(Random random) {
        List<List<Policy>> chains = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            List<Policy> chain = randomPolicies(random, "p" + i);
            boolean endsInShadow = random.nextInt(3) == 0;
            chains.add(!endsInShadow ? chain
                    : Stream.concat(chain.stream().limit(chain.size() - 1L),
                            Stream.of(chain.get(chain.size() - 1).inShadow())).toList());
        }
        return chains;
    }

    /** One to three policies with one to three limits. */
    private List<Policy> randomPolicies(Random random, String name) {
        List<Policy> policies = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            Limit[] limits = new Limit[1 + (random.nextBoolean() ? 0 : random.nextInt(3))];
            for (int j = 0; j < limits.length; j++) {
                Limit limit = RandomLimits.of(ALGORITHMS.get(random.nextInt(ALGORITHMS.size())), random);
                limits[j] = random.nextInt(4) == 0 ? limit.counts(Counts.CALLS) : limit;
            }
            int blocked = random.nextInt(blockedFor.length);
            policies.add(policy(name + i, Mode.ENFORCE, limits)
                    .withPenalty(RandomLimits.penalty(limits[0], random, () -> blockedFor[blocked])));
        }
        return policies;
    }
}
