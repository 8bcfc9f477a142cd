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
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;

/**
 * Refunds what decisions acquired, in the store that counted it, once for each decision even if called again. This
 * instance remembers a decision as long as it is in use. Redis remembers it as long as the refund may be repeated
 * because its reply was lost.
 */
public final class Refunds {

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
    private volatile boolean stopped;

    public Refunds(LimitStore redis, LimitStore local, DenialCache denials) {
        this.denials = denials;
        this.redis = redis;
        this.local = local;
    }

    /**
     * Refunds this many of a decision's permits. Completes when the store has replied or the first attempt has failed.
     * Then the refund is retried in the background as long as it has an effect. Concurrency permits are released with
     * their lease instead.
     */
    public Uni<Void> refund(Decision decision, long count) {
        return refund(decision, request(decision, count, limit -> true, once(decision)), LimitStore::decide);
    }

    /** Refunds this many of a decision's permits to the limits that count the cost. The call itself still counts. */
    Uni<Void> refundCost(Decision decision, long count) {
        return refund(decision, request(decision, count, limit -> limit.counts() == Counts.COST, once(decision)),
                LimitStore::decide);
    }

    /** @param request {@code null} if there is nothing to refund */
    private Uni<Void> refund(Decision decision, StoreRequest request,
            BiFunction<LimitStore, StoreRequest, Uni<StoreReply>> send) {
        if (decision.granted() == 0 || !refunded.add(decision) || request == null) {
            return Uni.createFrom().voidItem();
        }
        LimitStore store = storeOf(decision);
        return send.apply(store, request).replaceWithVoid()
                .invoke(() -> denials.forget(decision.policy(), decision.key()))
                .onFailure().recoverWithUni(failure -> {
                    tryAgain(store, request, decision.asCharged());
                    return Uni.createFrom().voidItem();
                });
    }

    /** Refunds everything that a call acquired, and releases its lease. */
    public Uni<Void> refund(Outcome outcome) {
        return Uni.join().all(outcome.lease().release(), refund(outcome, LimitStore::decide)).andCollectFailures()
                .replaceWithVoid();
    }

    /**
     * Refunds a call that is denied in the end. Completes before the deadline of the decision.
     */
    Uni<Void> refund(Outcome outcome, Deadline deadline) {
        outcome.lease().release();
        return refund(outcome, (store, request) -> store.decide(request, deadline));
    }

    private Uni<Void> refund(Outcome outcome, BiFunction<LimitStore, StoreRequest, Uni<StoreReply>> send) {
        List<Uni<Void>> all = new ArrayList<>();
        all.add(Uni.createFrom().voidItem());
        for (Decision decision : outcome.all()) {
            all.add(refund(decision, request(decision, decision.granted(), limit -> true, onceInRedis(decision)), send));
        }
        return Uni.join().all(all).andCollectFailures().replaceWithVoid();
    }

    /** Refunds the first part of a request's cost where the same policy has denied the rest. */
    public void refundPart(Outcome first, Outcome denied) {
        for (Decision part : first.all()) {
            if (denied.decisions().stream()
                    .anyMatch(rest -> rest.policy().equals(part.policy()) && rest.key().equals(part.key()))) {
                refundSilently(part);
            }
        }
    }

    /**
     * Refunds the permits of policies that do not count responses of this status. Does nothing after the limiter has
     * stopped.
     */
    public void settle(Outcome outcome, int status) {
        if (stopped) {
            return;
        }
        for (Decision decision : outcome.all()) {
            if (!decision.applied().countWhen().contain(status)) {
                refundSilently(decision);
            }
        }
    }

    private void refundSilently(Decision decision) {
        refund(decision, request(decision, decision.granted(), limit -> true, onceInRedis(decision)), LimitStore::decide)
                .subscribe().with(ignored -> {
                });
    }

    /**
     * Ends a reservation, and returns whether no instance has ended it before. Returns {@code true} when Redis is
     * unavailable, as this is unknown then.
     */
    public Uni<Boolean> end(Decision reserved) {
        Duration lasts = REMEMBERED;
        for (LimitState limit : reserved.limits()) {
            Duration lease = limit.definition().leaseTime();
            lasts = longest(lasts, longest(limit.resetAfter(), lease == null ? Duration.ZERO : lease));
        }
        MarkOnce once = new MarkOnce(END + id(reserved), lasts);
        return storeOf(reserved).decide(request(reserved, List.of(new LimitOperation(MARKERS, once))))
                .map(reply -> reply.limits().get(0).granted() > 0)
                .onFailure().recoverWithItem(true);
    }

    private static Duration longest(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Denies the other operations of the request once the reservation of this call has ended. */
    static LimitOperation unlessEnded(long id) {
        return new LimitOperation(MARKERS, new UnlessMarked(END + Long.toHexString(id)));
    }

    private static String id(Decision decision) {
        return Long.toHexString(decision.id());
    }

    private void tryAgain(LimitStore store, StoreRequest request, Decision decision) {
        long matters = Math.min(decision.resetAfter().toMillis(), TRIED.toMillis());
        if (matters > FIRST_PAUSE.toMillis() && tries.take()) {
            store.decide(request).onFailure(failure -> !stopped).retry().withBackOff(FIRST_PAUSE, LONGEST_PAUSE)
                    .expireIn(matters)
                    .onTermination().invoke(() -> {
                        tries.leave();
                        denials.forget(decision.policy(), decision.key());
                    }).subscribe().with(ignored -> {
                    }, failure -> LOG.debugf("Permits of policy %s were not refunded: %s", decision.policy(),
                            failure.getMessage()));
        }
    }

    /** Stops settlements and the retries of refunds. */
    public void stop() {
        stopped = true;
    }

    private LimitStore storeOf(Decision decision) {
        return decision.source() == Source.FALLBACK ? local : redis;
    }

    /** Denies the refund of a decision that was refunded before, also as another object with the same id. */
    private static List<LimitOperation> once(Decision decision) {
        return List.of(new LimitOperation(MARKERS, new MarkOnce(id(decision), REMEMBERED)));
    }

    /** For a decision that only this object represents. Memory needs no mark, as it does not lose a reply. */
    private static List<LimitOperation> onceInRedis(Decision decision) {
        return decision.source() == Source.MEMORY || decision.source() == Source.FALLBACK ? List.of() : once(decision);
    }

    /** @return {@code null} if there is nothing to refund */
    private static StoreRequest request(Decision acquired, long count, Predicate<Limit> to, List<LimitOperation> once) {
        Decision decision = acquired.asCharged();
        long at = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
        List<LimitOperation> operations = new ArrayList<>(1 + decision.limits().size());
        operations.addAll(once);
        for (LimitState taken : decision.limits()) {
            if (taken.definition().algorithm() != Algorithm.CONCURRENCY && to.test(taken.definition())) {
                operations.add(new LimitOperation(taken.limit(),
                        LimitRule.of(taken.definition()).refund(taken, at, charged(taken.definition(), count), decision.id())));
            }
        }
        return count <= 0 || operations.size() == once.size() ? null : request(decision, operations);
    }

    private static long charged(Limit limit, long count) {
        return limit.counts() == Counts.COST ? count : 1;
    }

    private static StoreRequest request(Decision decision, List<LimitOperation> operations) {
        return new StoreRequest(PolicyRequest.of(decision.applied(), decision.key(), operations));
    }
}
