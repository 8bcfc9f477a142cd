package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision.Acquired;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.engine.refunds.RefundOperations.ConfirmedRefunds;
import io.quarkiverse.ratelimit.runtime.engine.refunds.RefundOperations.HeldPermits;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.smallrye.mutiny.Uni;

/**
 * Refunds what decisions acquired, in the store that counted it, once for each decision even if called again. This
 * instance remembers a decision as long as it is in use. Redis remembers it as long as the refund may be repeated
 * because its reply was lost.
 */
public final class Refunds {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    /** Time for which a refund is retried while Redis does not reply. */
    static final Duration RETRY_TIME = Duration.ofMinutes(1);
    /** Largest number of refunds that are retried at the same time. */
    private static final int MAX_RETRYING = 10_000;

    private final LimitStore shared;
    private final LimitStore local;
    private final DenialCache denials;
    private final Observers observers;
    private final FailureLog mistakes;
    private final Duration timeout;
    private final FailureLog lost = new FailureLog("refunds");
    private final ConfirmedRefunds confirmed = new ConfirmedRefunds();
    private final Semaphore retrying = new Semaphore(MAX_RETRYING);
    private final Set<Acquired> refunded = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private volatile boolean stopped;

    /** @param timeout of each attempt */
    public Refunds(LimitStore shared, LimitStore local, DenialCache denials, Observers observers, FailureLog mistakes,
            Duration timeout) {
        this.mistakes = mistakes;
        this.timeout = timeout;
        this.denials = denials;
        this.observers = observers;
        this.shared = shared;
        this.local = local;
    }

    /**
     * Refunds the permits of a decision, except concurrency permits, which a lease releases. Completes when the store has
     * replied or the first attempt has failed. Then the refund is retried in the background as long as it has an effect.
     */
    public Uni<Void> refund(Decision decision) {
        return refund(decision, decision.granted(), 1);
    }

    /** Refunds this many of a decision's permits to the limits that count the cost. The call itself still counts. */
    public Uni<Void> refundCost(Decision decision, long cost) {
        return refund(decision, cost, 0);
    }

    private Uni<Void> refund(Decision decision, long cost, long calls) {
        return !markRefunded(decision) ? Uni.createFrom().voidItem()
                : sent(decision, RefundOperations.refund(decision, cost, calls,
                        RefundOperations.marker(decision, List.of(), timeout)), null, () -> {
                        });
    }

    /** Refunds this many prefetched permits. For a limit that counts calls, each of them stands for one call. */
    public Uni<Void> refundPrefetched(Decision acquired, long permits) {
        return refundOwn(acquired, permits, permits, null);
    }

    /** Refunds a decision that no other instance refunds. Memory needs no marker for it, as it does not lose a reply. */
    private Uni<Void> refundOwn(Decision decision, long cost, long calls, Deadline deadline) {
        if (!markRefunded(decision)) {
            return Uni.createFrom().voidItem();
        }
        boolean inMemory = decision.source() == Source.MEMORY || decision.source() == Source.FALLBACK;
        List<LimitOperation> marker = inMemory ? List.of()
                : RefundOperations.marker(decision, confirmed.take(decision), timeout);
        return sent(decision, RefundOperations.refund(decision, cost, calls, marker), deadline, () -> confirmed.add(decision));
    }

    /** Makes a later refund of this decision have no effect. */
    public void exclude(Decision decision) {
        refunded.add(decision.acquired());
    }

    /** Marks a decision as refunded; {@code false} if it was marked already, or acquired nothing. */
    private boolean markRefunded(Decision decision) {
        return decision.charged() && refunded.add(decision.acquired());
    }

    /**
     * @param request {@code null} if there is nothing to refund
     * @param deadline {@code null} for the usual time
     */
    private Uni<Void> sent(Decision decision, StoreRequest request, Deadline deadline, Runnable succeeded) {
        if (request == null) {
            return Uni.createFrom().voidItem();
        }
        LimitStore store = storeOf(decision);
        return (deadline == null ? store.decide(request) : store.decide(request, deadline)).replaceWithVoid()
                .invoke(() -> {
                    denials.evict(decision.policy(), decision.key());
                    succeeded.run();
                })
                .onFailure().recoverWithUni(failure -> {
                    mistakes.failedUnlessRedis(failure);
                    retry(store, request, decision, retryMillis(decision));
                    return Uni.createFrom().voidItem();
                });
    }

    /** Refunds everything that a call acquired, and releases its lease. */
    public Uni<Void> refund(Outcome outcome) {
        return Uni.join().all(outcome.lease().release(), refundAll(outcome, null)).andCollectFailures().replaceWithVoid();
    }

    /** Refunds a call that is denied in the end. Completes before the deadline of the decision. */
    public Uni<Void> refund(Outcome outcome, Deadline deadline) {
        outcome.lease().release();
        return refundAll(outcome, deadline);
    }

    private Uni<Void> refundAll(Outcome outcome, Deadline deadline) {
        return Uni.join().all(outcome.all().stream()
                .map(decision -> refundOwn(decision, decision.granted(), 1, deadline)).toList()).andCollectFailures()
                .replaceWithVoid();
    }

    /** Refunds the permits of policies that do not count responses of this status. */
    public void refundByStatus(Outcome outcome, int status) {
        refundByStatus(outcome, statuses -> !statuses.contain(status));
    }

    /** Refunds the permits of policies to whose {@code count-when} this applies. The call counts for the others. */
    public void refundByStatus(Outcome outcome, Predicate<Statuses> applies) {
        if (stopped) {
            return;
        }
        for (Decision decision : outcome.all()) {
            if (applies.test(decision.appliedPolicy().countWhen())) {
                refundOwn(decision, decision.granted(), 1, null).subscribeAsCompletionStage();
            } else {
                observers.notifyCounted(decision);
            }
        }
    }

    /**
     * Ends a reservation, and returns whether no instance has ended it before. Returns {@code true} when Redis is
     * unavailable, as this is unknown then. If the reservation has concurrency permits, its end is retried in the background
     * then, so that no instance renews them any longer.
     */
    public Uni<Boolean> end(Decision reserved) {
        LimitStore store = storeOf(reserved);
        StoreRequest end = RefundOperations.endOf(reserved);
        return store.decide(end).map(reply -> reply.limits().get(0).granted() > 0)
                .onFailure().recoverWithItem(failure -> {
                    mistakes.failedUnlessRedis(failure);
                    if (!HeldPermits.of(reserved).isEmpty()) {
                        retry(store, end, reserved, RETRY_TIME.toMillis());
                    }
                    return true;
                });
    }

    /** Returns how many milliseconds a refund is retried: while its permits are in use, if nobody else calls; or 0. */
    static long retryMillis(Decision decision) {
        long inUse = LimitUsage.resetAfter(decision.limitsAsCharged()).toMillis();
        return inUse <= FIRST_PAUSE.toMillis() ? 0 : Math.min(inUse, RETRY_TIME.toMillis());
    }

    private void retry(LimitStore store, StoreRequest request, Decision decision, long millis) {
        if (millis == 0) {
            return;
        }
        if (!retrying.tryAcquire()) {
            lost(decision.policy(), "too many refunds are already retried");
            return;
        }
        store.decide(request).onFailure(failure -> !stopped).retry().withBackOff(FIRST_PAUSE, LONGEST_PAUSE)
                .expireIn(millis)
                .onTermination().invoke(() -> {
                    retrying.release();
                    denials.evict(decision.policy(), decision.key());
                }).subscribe().with(ignored -> {
                }, failure -> {
                    if (!stopped && decision.resetAfter().compareTo(RETRY_TIME) > 0) {
                        lost(decision.policy(), failure.getMessage());
                    }
                });
    }

    private void lost(String policy, String reason) {
        observers.notify(observer -> observer.refundLost(policy));
        lost.failed("A refund is lost, as Redis has not confirmed it. Its permits come back with time. The latest, of policy "
                + policy + ": " + reason + '.');
    }

    /** Stops refunds by status, and the retries of refunds. */
    public void stop() {
        stopped = true;
    }

    private LimitStore storeOf(Decision decision) {
        return decision.source() == Source.FALLBACK ? local : shared;
    }
}
