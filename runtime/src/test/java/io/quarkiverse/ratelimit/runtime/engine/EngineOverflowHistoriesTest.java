package io.quarkiverse.ratelimit.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable.PlanSource;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.memory.UnboundedStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Command;

/**
 * Whatever plans, overrides and blocks begin and end between calls, a policy and its overflows are decided as the rule says:
 * each is asked under the limits in force if the one before denies, and one pays.
 */
class EngineOverflowHistoriesTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long START = 1_763_640_000_000_000L, END = START + 50 * 366 * 86_400_000_000L;
    private static final int STEPS = 1_000;
    private static final List<Algorithm> ALGORITHMS = List.of(Algorithm.TOKEN_BUCKET, Algorithm.FIXED_WINDOW,
            Algorithm.SLIDING_WINDOW, Algorithm.SLIDING_LOG);
    /** Has one parameter, the cost. */
    private static final LimitedMethod METHOD = LimitedMethod.unlimited("costly")
            .with(new CallParameters(List.of(), 0));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final AtomicLong clock = new AtomicLong(START);
    private final LimitStore oracle = UnboundedStore.withTime(clock::get);
    /** What beans return, by policy. */
    private final Map<String, RateLimitPlan> plans = new HashMap<>();
    /** What operators have set, by policy for all callers, or by policy and key. */
    private final Map<String, Map<String, Limit>> overrides = new HashMap<>();
    private final List<Paid> paid = new ArrayList<>();
    private final Set<String> seen = new TreeSet<>();
    private TestLimiter limiter;
    private List<Policy> chain;
    private CallDetails details;

    private record Paid(Decision decision, KeyedCharge keyed, StoreReply reply) {
    }

    /**
     * What the rule says of a call.
     *
     * @param asked in their order
     * @param payer {@code null} if nobody pays
     */
    private record Expected(boolean allowed, List<String> asked, Paid payer, boolean isFirstBlocked) {
    }

    @ParameterizedTest
    @CsvSource({ "1,false", "2,false", "3,false", "4,false", "5,true", "6,true", "7,true" })
    void eachStepIsDecidedByTheLimitsInForce(long seed, boolean sharded) {
        Random random = new Random(seed);
        REDIS.send(Command.FLUSHALL);
        try (RedisStore redis = FrozenRedis.store(REDIS, clock::get); RedisStore ofOverrides = REDIS.newStore(TIMEOUT)) {
            limiter = limiter(redis, new Overrides(new RedisOverrides(ofOverrides, "test"), () -> 0), sharded);
            chain = randomChain(random);
            begin("c" + seed);
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(60) == 0) {
                    removeAll();
                    chain = randomChain(random);
                }
                if (random.nextInt(150) == 0 || clock.get() > END) {
                    clock.set(START);
                    begin("c" + seed + "-" + step);
                }
                clock.addAndGet(RandomLimits.step(chain.get(0).limits().get(0).limit(), random));
                change(random);
                String where = "seed " + seed + ", step " + step;
                if (!paid.isEmpty() && random.nextInt(5) == 0) {
                    refund(paid.remove(random.nextInt(paid.size())));
                } else {
                    call(redis, random.nextInt(6) == 0 ? 0 : randomCost(random), random.nextBoolean(), where);
                }
                assertSameStates(redis, where);
            }
        }
        assertThat(seen).as("what happened").contains("paid by p0", "paid by p1", "denied", "first blocked",
                "nobody pays", "plan", "override", "override of all", "refund", "exact wait", "exact wait of a block");
    }

    private void call(LimitStore redis, long cost, boolean isRefundable, String where) {
        StoreReply before = peek(oracle);
        Expected expected = expected(cost, isRefundable);
        CallRules rules = CallRules.of(METHOD, List.of(new Charge(chain.get(0), PermitRequest.of(1))), chain.size() == 1
                ? Map.of()
                : Map.of("p0", chain.stream().skip(1).map(policy -> new Charge(policy, PermitRequest.of(1))).toList()))
                .costing(new Object[] { cost });

        Outcome outcome = limiter.engine.decide(isRefundable ? rules.refundable() : rules, details.caller(), List.of()).await()
                .atMost(TIMEOUT);

        if (expected.asked.isEmpty()) {
            assertThat(outcome).as(where).isSameAs(Outcome.NOT_LIMITED);
            return;
        }
        Decision decision = outcome.decisions().get(0);
        assertThat(outcome.decisions()).as(where).hasSize(1);
        assertThat(decision.asked()).as(where).extracting(Decision::source).doesNotContain(Source.FALLBACK);
        assertThat(decision.allowed()).as(where).isEqualTo(expected.allowed);
        assertThat(decision.asked()).as(where).extracting(Decision::policy).isEqualTo(expected.asked);
        assertThat(decision.asked().stream().filter(asked -> asked.charged() && asked.source() != Source.NOT_LIMITED)
                .map(asked -> asked.policy() + " " + asked.granted()).toList()).as(where)
                .isEqualTo(expected.payer == null ? List.of() : List.of(expected.payer.keyed.policy().name() + " " + cost));
        if (expected.payer != null) {
            paid.add(new Paid(decision, expected.payer.keyed, expected.payer.reply));
            seen.add("paid by " + decision.policy());
        } else if (expected.allowed) {
            seen.add("nobody pays");
        } else {
            seen.add(expected.isFirstBlocked ? "first blocked" : "denied");
            assertThat(ofLimits(peek(oracle))).as(where).isEqualTo(ofLimits(before));
            assertWaitIsExact(decision, cost, where);
        }
    }

    /** Asks one policy after the other, each in a request of its own. */
    private Expected expected(long cost, boolean isRefundable) {
        List<String> asked = new ArrayList<>();
        List<KeyedCharge> denying = new ArrayList<>();
        for (int i = 0; i < chain.size(); i++) {
            Policy inForce = inForce(i, Duration.ZERO);
            if (inForce == null && i == 0) {
                return new Expected(true, asked, null, false);
            }
            asked.add(chain.get(i).name());
            if (inForce == null) {
                return new Expected(true, asked, null, false);
            }
            PermitRequest acquire = PermitRequest.of(1);
            KeyedCharge keyed = keyed(inForce, cost, isRefundable ? acquire.asRefundable() : acquire);
            StoreReply reply = decided(oracle, alone(keyed.with(keyed.charge().withoutCountingDenials())));
            if (reply.allows(0, reply.limits().size())) {
                boolean pays = keyed.charge().requested().kind() != OperationKind.PEEK;
                return new Expected(true, asked, pays ? new Paid(null, keyed, reply) : null, false);
            }
            if (i == 0 && !keyed.charge().blockedFor(reply, 0).isZero()) {
                return new Expected(false, asked, null, true);
            }
            denying.add(keyed);
        }
        denying.forEach(keyed -> decided(oracle, alone(keyed)));
        return new Expected(false, asked, null, false);
    }

    /** A call at a cost of 0 charges only the limits that count calls. A chain does not delay it. */
    private KeyedCharge keyed(Policy inForce, long cost, PermitRequest requested) {
        Policy counting = cost == 0 ? inForce.countingCalls() : inForce;
        Charge charge = counting.limits().isEmpty() ? new Charge(inForce, PermitRequest.FREE)
                : new Charge(counting.withMaxWait(Duration.ZERO),
                        (counting.mayDelay() ? requested.asRefundable() : requested).costing(cost));
        return new KeyedCharge(charge, inForce.keyOf(details));
    }

    private static StoreRequest alone(KeyedCharge keyed) {
        return new Call(0, List.of(keyed), null).request();
    }

    private static StoreReply decided(LimitStore store, StoreRequest request) {
        return store.decide(request).await().atMost(TIMEOUT);
    }

    /**
     * Returns a policy of the chain with the limits in force: an override for the key comes first, then the plan, then an
     * override for all, then its own.
     *
     * @param later how much later, for blocks
     * @return {@code null} if the policy does not limit the caller
     */
    private Policy inForce(int index, Duration later) {
        Policy policy = chain.get(index);
        String key = policy.keyOf(details);
        RateLimitPlan plan = plans.get(policy.name());
        boolean isUnlimited = plan != null && (plan.isUnlimited() || plan.name().filter("free"::equals).isPresent());
        Duration block = block(policy, key);
        if (isUnlimited && block.isZero() && !overrides.containsKey(policy.name() + key)) {
            return null;
        }
        Map<String, Limit> limits = new HashMap<>(overrides.getOrDefault(policy.name(), Map.of()));
        if (plan != null && !isUnlimited) {
            limits.putAll(plan.name().isEmpty() ? plan.limits() : policy.plans().named("gold").limits());
        }
        limits.putAll(overrides.getOrDefault(policy.name() + key, Map.of()));
        Policy inForce = policy.with(limits);
        if (!block.isZero()) {
            long left = Math.max(0, LimitUsage.micros(block.minus(later)));
            Penalty penalty = policy.penalty() == null ? Penalty.NONE : policy.penalty();
            inForce = inForce.withPenalty(penalty.blockedFor(() -> left));
        }
        return inForce;
    }

    private Duration block(Policy policy, String key) {
        return limiter.overrides.blocks(policy).stream().filter(block -> block.storedKey().equals(key))
                .map(block -> block.remainingTime()).findFirst().orElse(Duration.ZERO);
    }

    /** Reads the states of all policies, and changes nothing. */
    private StoreReply peek(LimitStore store) {
        List<KeyedCharge> all = new ArrayList<>();
        for (int i = 0; i < chain.size(); i++) {
            Policy inForce = inForce(i, Duration.ZERO);
            if (inForce != null) {
                all.add(keyed(inForce, 1, PermitRequest.PEEK));
            }
        }
        return all.isEmpty() ? null : decided(store, new Call(0, all, null).request());
    }

    private void assertSameStates(LimitStore redis, String where) {
        StoreReply actual = peek(redis), expected = peek(oracle);
        for (int i = 0; expected != null && i < expected.limits().size(); i++) {
            assertThat(actual.limits().get(i)).as(where + " limit " + i).isEqualTo(expected.limits().get(i));
        }
    }

    private static List<LimitReply> ofLimits(StoreReply reply) {
        return reply.limits().stream().filter(limit -> !(limit instanceof Penalty.Reply)).toList();
    }

    /** After the wait, the call is allowed if nobody else calls, and not a microsecond earlier. */
    private void assertWaitIsExact(Decision denied, long cost, String where) {
        if (denied.reason() == DenialReason.COST_ABOVE_CAPACITY) {
            assertThat(chain).as(where).allMatch(policy -> isAboveCapacity(chain.indexOf(policy), cost));
            return;
        }
        Duration wait = denied.retryAfter();
        if (denied.firstAsked().reason() != DenialReason.BLOCKED) {
            assertThat(isAllowedAfter(wait, cost)).as(where + " after " + wait).isTrue();
            assertThat(isAllowedAfter(wait.minusNanos(1_000), cost)).as(where + " before " + wait).isFalse();
            seen.add("exact wait");
        } else if (!isAboveCapacity(0, cost)) {
            // its wait is that of the first policy, also if an overflow would allow the call earlier
            assertThat(isAllowedAfter(wait, cost)).as(where + " after " + wait).isTrue();
            seen.add("exact wait of a block");
        }
    }

    private boolean isAboveCapacity(int index, long cost) {
        return inForce(index, Duration.ZERO).limits().stream()
                .anyMatch(limit -> limit.countsCost() && limit.limit().burst() < cost);
    }

    private boolean isAllowedAfter(Duration wait, long cost) {
        long now = clock.getAndAdd(LimitUsage.micros(wait));
        try {
            for (int i = 0; i < chain.size(); i++) {
                Policy inForce = inForce(i, wait);
                if (inForce == null) {
                    return true;
                }
                KeyedCharge keyed = keyed(inForce, cost, new PermitRequest(1, OperationKind.PEEK, 0));
                StoreReply reply = decided(oracle, alone(keyed));
                if (reply.allows(0, reply.limits().size())) {
                    return true;
                }
                if (i == 0 && !keyed.charge().blockedFor(reply, 0).isZero()) {
                    return false;
                }
            }
            return false;
        } finally {
            clock.set(now);
        }
    }

    private void refund(Paid back) {
        limiter.refunds.refund(back.decision).await().atMost(TIMEOUT);
        List<LimitOperation> steps = new ArrayList<>();
        for (PolicyLimit limit : back.keyed.policy().limits()) {
            PermitRequest charged = limit.charged(back.keyed.charge().requested());
            LimitState state = back.reply.usage(steps.size()).state(limit.name(), charged, back.reply.time(), true);
            steps.add(StoreRequests.operation(back.keyed.policy().name(), limit.storedName(), back.keyed.key(),
                    limit.rule().refund(state, back.reply.time(), charged.cost(), back.decision.id())));
        }
        decided(oracle, new StoreRequest(steps));
        seen.add("refund");
    }

    /** Begins or ends a plan, an override or a block, now and then. */
    private void change(Random random) {
        int index = random.nextInt(chain.size());
        Policy policy = chain.get(index);
        String key = policy.keyOf(details);
        Supplier<Map<String, Limit>> limits = () -> randomLimits(policy, index < chain.size() - 1, random);
        switch (random.nextInt(24)) {
            case 0 -> plans.put(policy.name(), RateLimitPlan.of(limits.get()));
            case 1 -> plans.put(policy.name(), RateLimitPlan.named("gold"));
            case 2 -> plans.put(policy.name(), random.nextBoolean() ? RateLimitPlan.unlimited() : RateLimitPlan.named("free"));
            case 3, 4 -> plans.remove(policy.name());
            case 5, 6 -> override(policy, key, limits.get());
            case 7, 8 -> override(policy, key, null);
            case 9 -> override(policy, "", limits.get());
            case 10 -> override(policy, "", null);
            case 11 ->
                limiter.overrides.block(policy, key, Duration.ofSeconds(1 + random.nextInt(1_000)), Change.BY_CODE).await()
                        .atMost(TIMEOUT);
            case 12, 13, 14 -> limiter.overrides.unblock(policy, key).await().atMost(TIMEOUT);
            default -> {
                return;
            }
        }
        if (plans.values().stream().anyMatch(plan -> !plan.isUnlimited())) {
            seen.add("plan");
        }
    }

    /** @param limits {@code null} to remove the override */
    private void override(Policy policy, String key, Map<String, Limit> limits) {
        if (limits == null) {
            overrides.remove(policy.name() + key);
            limiter.overrides.remove(policy, key).await().atMost(TIMEOUT);
        } else {
            overrides.put(policy.name() + key, limits);
            limiter.overrides.put(policy, key, limits, Overrides.UNTIL_REMOVED, Change.BY_CODE).await().atMost(TIMEOUT);
            seen.add(key.isEmpty() ? "override of all" : "override");
        }
    }

    private void removeAll() {
        plans.clear();
        overrides.clear();
        for (Policy policy : chain) {
            limiter.overrides.overrides(policy)
                    .forEach(override -> limiter.overrides.remove(policy, override.storedKey()).await().atMost(TIMEOUT));
        }
    }

    private void begin(String caller) {
        paid.clear();
        details = new CallDetails(new Caller() {
            @Override
            public String query(String name) {
                return name + caller;
            }
        }, null, List.of(), Map.of());
    }

    private long randomCost(Random random) {
        Policy policy = chain.get(random.nextInt(chain.size()));
        long burst = policy.limits().get(random.nextInt(policy.limits().size())).limit().burst();
        return random.nextInt(4) == 0 ? Math.min(Limit.MAX_PERMITS, 1 + random.nextLong(burst + 3)) : 1;
    }

    /** Limits for some of a policy's names. Only limits before the last policy delay calls, which a chain does not do. */
    private static Map<String, Limit> randomLimits(Policy policy, boolean mayDelay, Random random) {
        return policy.limits().stream().filter(limit -> random.nextInt(3) > 0 || limit.name().equals("l0"))
                .collect(Collectors.toMap(PolicyLimit::name, limit -> randomLimit(mayDelay, random)));
    }

    private static Limit randomLimit(boolean mayDelay, Random random) {
        if (mayDelay && random.nextBoolean()) {
            Duration period = Duration.ofSeconds(1 + random.nextInt(60));
            return Limit.tokenBucket(1 + random.nextInt(3)).refill(1, period).maxWait(period);
        }
        Limit limit = RandomLimits.of(ALGORITHMS.get(random.nextInt(ALGORITHMS.size())), random);
        return limit.maxWait().isZero() ? limit : limit.maxWait(Duration.ZERO);
    }

    /** One to three policies with one to three limits. Some share a key, and so a slot. */
    private static List<Policy> randomChain(Random random) {
        int policies = 1 + random.nextInt(3);
        return IntStream.range(0, policies).mapToObj(i -> {
            List<PolicyLimit> limits = new ArrayList<>();
            int count = 1 + (random.nextBoolean() ? 0 : random.nextInt(3));
            for (int j = 0; j < count; j++) {
                Limit limit = randomLimit(false, random);
                limits.add(new PolicyLimit("l" + j, random.nextInt(4) == 0 ? limit.counts(Counts.CALLS) : limit));
            }
            PlanTable plans = new PlanTable(PlanSource.BEAN, "p" + i, Duration.ZERO, null, List.of(
                    new Plan("gold", false, Map.of("l0", randomLimit(i < policies - 1, random))),
                    new Plan("free", true, Map.of())));
            return new Policy("p" + i, limits, KeyParser.parse("query:" + (random.nextBoolean() ? "user" : "team"), null),
                    MissingKey.SHARED, List.of(), OnRedisFailure.LOCAL, Mode.ENFORCE, true, plans, Exemptions.NONE,
                    Statuses.ALL,
                    Duration.ZERO, RandomLimits.penalty(limits.get(0).limit(), random, () -> 0), Prefetch.NONE, Duration.ZERO,
                    Duration.ZERO);
        }).toList();
    }

    private TestLimiter limiter(LimitStore redis, Overrides overridden, boolean sharded) {
        Map<String, List<Supplier<RateLimitPlanResolver>>> beans = new HashMap<>();
        for (String name : List.of("p0", "p1", "p2")) {
            beans.put(name, List.of(() -> call -> Uni.createFrom().item(plans.get(name))));
        }
        Timers timers = new Timers(REDIS.vertx);
        return new TestLimiter(new LimitStore() {
            @Override
            public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
                return redis.decide(request, deadline);
            }

            @Override
            public Uni<StoreReply> decide(StoreRequest request) {
                return redis.decide(request);
            }

            @Override
            public boolean isSharded() {
                return sharded;
            }
        }, new LocalStore(clock::get), REDIS.vertx, TIMEOUT, new BeanResolvers(Map.of(), beans, TIMEOUT, () -> 0, timers), 100,
                overridden, Observers.of(List.of()));
    }
}
