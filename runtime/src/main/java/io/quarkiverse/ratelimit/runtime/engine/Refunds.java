package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.MarkOnce;
import io.quarkiverse.ratelimit.runtime.algorithm.UnlessMarked;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.PolicyDecision;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;

/**
 * Refunds what decisions acquired, in the store that counted it, once for each decision even if called again. This
 * instance remembers a decision as long as it is in use. Redis remembers it as long as the refund may be repeated
 * because its reply was lost.
 */
final class Refunds {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    /** How long a refund is retried while Redis does not reply. */
    private static final Duration TRIED = Duration.ofMinutes(1);
    /** Longer than the retries, as the last one may arrive late. */
    private static final Duration REMEMBERED = TRIED.multipliedBy(2);
    /** The key of the markers; no limit has such a name. */
    private static final String MARKERS = "refunds:ids";
    /** The prefix of the id that marks the end of a reservation. */
    private static final String END = "end:";
    /** How many refunds may be retried at the same time. */
    private static final int MAX_TRIES = 10_000;

    private final LimitStore redis;
    private final LimitStore local;
    private final DenialCache denials;
    private final BoundedCount tries = new BoundedCount(MAX_TRIES);
    private final Set<Decision> refunded = Collections
            .synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private volatile boolean givenUp;

    Refunds(LimitStore redis, LimitStore local, DenialCache denials) {
        this.denials = denials;
        this.redis = redis;
        this.local = local;
    }

    /**
     * Refunds this many of a decision's permits. Completes when the store has replied or the first attempt has failed.
     * Then the refund is retried in the background as long as it has an effect. Concurrency permits are released with
     * their lease instead.
     */
    Uni<Void> refund(Decision decision, long count) {
        return refund(decision, count, limit -> true, LimitStore::decide);
    }

    /** Refunds this many of a decision's permits to the limits that count the cost. The call itself still counts. */
    Uni<Void> refundCost(Decision decision, long count) {
        return refund(decision, count, limit -> limit.counts() == Counts.COST, LimitStore::decide);
    }

    private Uni<Void> refund(Decision decision, long count, Predicate<Limit> to,
            BiFunction<LimitStore, StoreRequest, Uni<long[]>> ask) {
        if (decision.granted() == 0 || !refunded.add(decision) || count <= 0) {
            return Uni.createFrom().voidItem();
        }
        StoreRequest question = question(decision, count, to);
        if (question.asks().get(0).steps().size() == 1) {
            return Uni.createFrom().voidItem();
        }
        LimitStore store = decision.source() == Source.FALLBACK ? local : redis;
        return ask.apply(store, question).replaceWithVoid()
                .invoke(() -> denials.forget(decision.policy(), decision.key()))
                .onFailure().recoverWithUni(failure -> {
                    tryAgain(store, question, decision);
                    return Uni.createFrom().voidItem();
                });
    }

    /** Refunds everything that a call acquired, and releases its lease. */
    Uni<Void> refund(Outcome outcome) {
        return Uni.join().all(outcome.lease().release(), refund(outcome, LimitStore::decide)).andCollectFailures()
                .replaceWithVoid();
    }

    /**
     * Refunds a call that is denied in the end. Completes within the time that is left for the decision.
     *
     * @param began when the decision of its first part began, by {@link System#nanoTime}
     */
    Uni<Void> refund(Outcome outcome, long began) {
        outcome.lease().release();
        return refund(outcome, (store, question) -> store.decide(question, began));
    }

    private Uni<Void> refund(Outcome outcome, BiFunction<LimitStore, StoreRequest, Uni<long[]>> ask) {
        List<Uni<Void>> all = new ArrayList<>();
        all.add(Uni.createFrom().voidItem());
        for (PolicyDecision decided : outcome.all()) {
            all.add(refund(decided.decision(), decided.decision().granted(), limit -> true, ask));
        }
        return Uni.join().all(all).andCollectFailures().replaceWithVoid();
    }

    /**
     * Ends a reservation, and returns whether no instance has ended it before.
     *
     * @param lasts for how long the end is remembered at least
     */
    Uni<Boolean> end(Decision reserved, Duration lasts) {
        MarkOnce once = new MarkOnce(END + id(reserved), lasts.compareTo(REMEMBERED) > 0 ? lasts : REMEMBERED);
        return redis.decide(question(reserved, List.of(new LimitOperation(MARKERS, once))))
                .map(reply -> reply[LimitRule.FIRST] > 0);
    }

    /** Denies the other operations of the request once the reservation of this call has ended. */
    static LimitOperation unlessEnded(long id) {
        return new LimitOperation(MARKERS, new UnlessMarked(END + Long.toHexString(id)));
    }

    private static String id(Decision decision) {
        return Long.toHexString(decision.id());
    }

    private void tryAgain(LimitStore store, StoreRequest question, Decision decision) {
        long matters = Math.min(decision.resetAfter().toMillis(), TRIED.toMillis());
        if (matters > FIRST_PAUSE.toMillis() && tries.take()) {
            store.decide(question).onFailure(failure -> !givenUp).retry().withBackOff(FIRST_PAUSE, LONGEST_PAUSE)
                    .expireIn(matters)
                    .onTermination().invoke(() -> {
                        tries.leave();
                        denials.forget(decision.policy(), decision.key());
                    }).subscribe().with(ignored -> {
                    }, failure -> LOG.debugf("Permits of policy %s were not refunded: %s", decision.policy(),
                            failure.getMessage()));
        }
    }

    /** Stops all retries. */
    void giveUp() {
        givenUp = true;
    }

    private static StoreRequest question(Decision decision, long count, Predicate<Limit> to) {
        long at = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
        List<LimitOperation> steps = new ArrayList<>(1 + decision.limits().size());
        steps.add(new LimitOperation(MARKERS, new MarkOnce(id(decision), REMEMBERED)));
        for (LimitState taken : decision.limits()) {
            if (taken.definition().algorithm() != Algorithm.CONCURRENCY && to.test(taken.definition())) {
                steps.add(new LimitOperation(taken.limit(),
                        LimitRule.of(taken.definition()).refund(taken, at, count, decision.id())));
            }
        }
        return question(decision, steps);
    }

    private static StoreRequest question(Decision decision, List<LimitOperation> steps) {
        return new StoreRequest(List.of(new PolicyRequest(decision.policy(), false, decision.key(), steps)));
    }
}
