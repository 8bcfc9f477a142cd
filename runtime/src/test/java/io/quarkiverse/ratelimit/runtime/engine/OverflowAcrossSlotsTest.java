package io.quarkiverse.ratelimit.runtime.engine;

import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.chain;
import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.request;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** A policy and its overflows with different slots are asked one slot after the other. */
class OverflowAcrossSlotsTest {

    private static final Vertx VERTX = Vertx.vertx();
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int STEPS = 3_000;

    private final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final List<StoreRequest> requests = new ArrayList<>();
    private final TestLimiter sharded = limiter(true);
    private final TestLimiter together = limiter(false);
    private final Policy user = policy("user", Limit.slidingLog(2, HOUR));
    private final Policy team = policy("team", Limit.slidingLog(2, HOUR));
    private long id;
    private final Policy all = policy("all", Limit.slidingLog(2, HOUR));

    @AfterAll
    static void close() {
        VERTX.close();
    }

    @Test
    void theNextSlotIsAskedOnlyIfTheOneBeforeDenies() {
        for (String payer : List.of("user", "user", "team", "team", "all", "all")) {
            requests.clear();
            Decision decision = told(sharded, chain(of(user, "alice"), of(team, "acme"), of(all, "")));

            assertThat(decision.policy()).isEqualTo(payer);
            assertThat(requests).hasSize(List.of("user", "team", "all").indexOf(payer) + 1);
        }
        Decision denied = told(sharded, chain(of(user, "alice"), of(team, "acme"), of(all, "")));
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.limits()).extracting(LimitState::policy).containsExactly("user", "team", "all");
    }

    @Test
    void policiesOfOneSlotShareARequest() {
        for (int call = 1; call <= 4; call++) {
            told(sharded, chain(of(user, "alice"), of(team, "alice"), of(all, "")));
        }
        assertThat(requests).hasSize(4);

        assertThat(told(sharded, chain(of(user, "alice"), of(team, "alice"), of(all, ""))).policy()).isEqualTo("all");
        assertThat(requests).hasSize(6);
    }

    @Test
    void aDenialCountsOnceIfAllSlotsDeny() {
        Policy blocking = user.withPenalty(new Penalty(2, HOUR, HOUR, HOUR));
        KeyedCharge[] chain = chain(of(blocking, "alice"), of(team, "acme"));
        for (int call = 1; call <= 4; call++) {
            assertThat(told(sharded, chain).allowed()).isTrue();
        }

        assertThat(told(sharded, chain).denialReason()).contains(DenialReason.LIMIT_REACHED);
        Decision second = told(sharded, chain);
        assertThat(second.denialReason()).contains(DenialReason.BLOCKED);
        assertThat(second.policy()).isEqualTo("user");
    }

    @Test
    void permitsOfOneChainAreRefundedIfAnotherDenies() {
        Policy other = policy("other", Limit.slidingLog(1, HOUR)), spare = policy("spare", Limit.slidingLog(1, HOUR));
        KeyedCharge[] both = Stream.of(chain(of(user, "alice"), of(team, "acme")), chain(of(other, "bob"), of(spare, "s")))
                .flatMap(Stream::of).toArray(KeyedCharge[]::new);

        assertThat(sharded.decide(both).decisions()).extracting(Decision::policy).containsExactly("user", "other");
        assertThat(sharded.decide(both).decisions()).extracting(Decision::policy).containsExactly("user", "spare");
        assertThat(sharded.decide(both).isDenied()).isTrue();

        assertThat(told(sharded, of(team, "acme")).remaining()).isEqualTo(1);
    }

    @Test
    void chainsThatMeetEachChargeTheirOverflow() {
        Policy other = policy("other", Limit.slidingLog(2, HOUR));
        Policy pool = policy("pool", Limit.slidingLog(3, HOUR));
        KeyedCharge[] both = Stream
                .of(chain(of(user, "alice"), of(pool, "alice")), chain(of(other, "alice"), of(pool, "alice")))
                .flatMap(Stream::of).toArray(KeyedCharge[]::new);
        AcrossSlots onOneServer = new AcrossSlots(together.decider, together.decider, together.leases, together.refunds, null,
                keyed -> "");
        for (Function<KeyedCharge[], Outcome> decider : List.<Function<KeyedCharge[], Outcome>> of(sharded::decide,
                charges -> onOneServer.decide(new Call(++id, List.of(charges), null)).await().atMost(HOUR))) {
            for (String payers : List.of("user other", "user other", "pool pool")) {
                assertThat(decider.apply(both).decisions()).extracting(Decision::policy).containsExactly(payers.split(" "));
            }

            Outcome denied = decider.apply(both);
            assertThat(denied.decisions().get(1).asked()).extracting(Decision::policy).containsExactly("other", "pool");
            Decision left = decider.apply(new KeyedCharge[] { of(pool, "alice") }).decisions().get(0);
            assertThat(left.allowed()).as("what the first chain paid came back").isTrue();
            assertThat(left.remaining()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6 })
    void slotBySlotIsAllowedAndToldTheSame(long seed) {
        Random random = new Random(seed);
        List<Policy> policies = randomPolicies(random);
        int epoch = 0;
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(100) == 0) {
                policies = randomPolicies(random);
                epoch++;
            }
            clock.addAndGet(Math.max(0, RandomLimits.step(policies.get(0).limits().get(0).limit(), random)));
            PermitRequest requested = PermitRequest.of(1 + random.nextInt(4));
            List<KeyedCharge> charges = new ArrayList<>();
            for (Policy policy : policies) {
                charges.add(request(policy, "caller" + epoch + (random.nextInt(5) == 0 ? "" : policy.name()), requested));
            }
            KeyedCharge[] chain = chain(charges.get(0), charges.stream().skip(1).toArray(KeyedCharge[]::new));

            Decision one = told(sharded, chain), other = told(together, chain);

            assertThat(one.policy()).as("seed %d, step %d of %s", seed, step, policies).isEqualTo(other.policy());
            assertThat(one.allowed()).isEqualTo(other.allowed());
            assertThat(one.charged()).isEqualTo(other.charged());
            assertThat(one.retryAfter()).isEqualTo(other.retryAfter());
            assertThat(one.limits()).isEqualTo(other.limits());
        }
    }

    private static List<Policy> randomPolicies(Random random) {
        List<Policy> policies = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
            Limit[] limits = new Limit[1 + random.nextInt(2)];
            for (int j = 0; j < limits.length; j++) {
                Algorithm algorithm = RandomLimits.ALGORITHMS.get(random.nextInt(RandomLimits.ALGORITHMS.size()));
                Limit limit = RandomLimits.of(algorithm == Algorithm.CONCURRENCY ? Algorithm.FIXED_WINDOW : algorithm, random);
                limits[j] = limit.maxWait().isZero() ? limit : Limit.slidingWindow(3, limit.period());
            }
            policies.add(policy("p" + i, limits).withPenalty(RandomLimits.penalty(limits[0], random, () -> 0)));
        }
        return policies;
    }

    private TestLimiter limiter(boolean isSharded) {
        LocalStore store = new LocalStore(clock::get);
        LimitStore shared = new LimitStore() {

            @Override
            public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
                return decide(request);
            }

            @Override
            public Uni<StoreReply> decide(StoreRequest request) {
                return Uni.createFrom().deferred(() -> {
                    assertThat(request.operations().stream().map(operation -> operation.key().callerKey()).distinct())
                            .as("keys of a request").hasSizeLessThan(isSharded ? 2 : 9);
                    requests.add(request);
                    return store.decide(request);
                });
            }

            @Override
            public boolean isSharded() {
                return isSharded;
            }
        };
        return new TestLimiter(shared, new LocalStore(clock::get), VERTX, Duration.ofSeconds(5));
    }

    private static KeyedCharge of(Policy policy, String caller) {
        return request(policy, caller, PermitRequest.of(1));
    }

    private static Decision told(TestLimiter limiter, KeyedCharge... charges) {
        Outcome outcome = limiter.decide(charges);
        assertThat(outcome.decisions()).hasSize(1);
        return outcome.decisions().get(0);
    }
}
