package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.Uni;

/**
 * Keeps the permits of calls that run. Renews them three times in each lease time, so that only the permits of a
 * crashed instance expire. Releases them when the call ends, and retries until the store has replied.
 */
public final class LeaseRenewal {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** How many leases that this instance does not renew may be released at the same time. */
    private static final int MAX_FOREIGN = 10_000;

    private final Timers timers;
    private final LimitStore shared;
    private final LimitStore local;
    private final FailureLog mistakes;
    private final Semaphore foreign = new Semaphore(MAX_FOREIGN);
    private final Map<HeldBy, RenewedLease> renewed = new ConcurrentHashMap<>();
    private volatile boolean stopped, givenUp;

    public LeaseRenewal(Timers timers, LimitStore shared, LimitStore local, FailureLog mistakes) {
        this.timers = timers;
        this.shared = shared;
        this.local = local;
        this.mistakes = mistakes;
    }

    /** Identifies a lease: all leases of a call have its id, but each begins with another policy or key. */
    private record HeldBy(long id, String policy, String key) {
    }

    /** The outcome with the permits that the call holds while it runs, if it holds any. Begins to renew them. */
    public Outcome begin(Call call, Outcome outcome) {
        List<PolicyPart> held = outcome.lease() != Lease.NONE ? List.of()
                : call.parts().stream().filter(part -> part.holdsPermits() && isCharged(part, call, outcome)).toList();
        if (held.isEmpty()) {
            return outcome;
        }
        boolean byFallback = outcome.all().stream().anyMatch(decision -> decision.source() == Source.FALLBACK);
        RenewedLease lease = new RenewedLease(held, call.id(), byFallback ? local : shared);
        renewed.put(lease.heldBy, lease);
        if (stopped) {
            lease.release();
        }
        return outcome.holding(lease);
    }

    private static boolean isCharged(PolicyPart part, Call call, Outcome outcome) {
        return outcome.all().stream().anyMatch(decision -> decision.id() == call.id() && decision.granted() > 0
                && decision.policy().equals(part.policy().name()) && decision.key().equals(part.key()));
    }

    /** Releases what a call may hold in Redis, after its request was sent and got no reply. */
    public void abandon(Call call) {
        List<PolicyPart> leased = call.parts().stream().filter(PolicyPart::holdsPermits).toList();
        if (!leased.isEmpty() && foreign.tryAcquire()) {
            refund(shared, leased, call.id()).onTermination().invoke(foreign::release).subscribe().with(ignored -> {
            }, LeaseRenewal::notReleased);
        }
    }

    /** The lease of a reservation, perhaps of another instance. */
    public Lease leaseOf(Decision reserved) {
        Lease own = renewed.get(new HeldBy(reserved.id(), reserved.policy(), reserved.key()));
        return own != null ? own : reserved.source() == Source.REDIS ? () -> release(reserved) : Lease.NONE;
    }

    private Uni<Void> release(Decision reserved) {
        StoreRequest request = RefundOperations.release(reserved);
        if (request == null) {
            return Uni.createFrom().voidItem();
        }
        return tried(foreign.tryAcquire()
                ? untilReplied(shared, request, RefundOperations.shortestLeaseTime(reserved)).onTermination()
                        .invoke(foreign::release)
                : shared.decide(request).replaceWithVoid());
    }

    private Uni<Void> refund(LimitStore store, List<PolicyPart> leased, long id) {
        return untilReplied(store, RefundOperations.release(leased, id), RefundOperations.shortestLeaseTime(leased));
    }

    /** Retries until the store has replied or the lease has expired, after this many milliseconds. */
    private Uni<Void> untilReplied(LimitStore store, StoreRequest release, long leaseTime) {
        return store.decide(release).onFailure().invoke(mistakes::failedUnlessRedis).onFailure(failure -> !givenUp).retry()
                .withBackOff(Refunds.FIRST_PAUSE, Refunds.LONGEST_PAUSE)
                .expireIn(leaseTime).replaceWithVoid();
    }

    /** Starts a release. Completes when it has ended, or after a second, and never fails. */
    private Uni<Void> tried(Uni<Void> release) {
        Uni<Void> released = release.memoize().indefinitely();
        released.subscribe().with(ignored -> {
        }, LeaseRenewal::notReleased);
        return timers.within(Refunds.LONGEST_PAUSE, released).onFailure().recoverWithNull();
    }

    private static void notReleased(Throwable failure) {
        LOG.debugf("A lease is not released and expires: %s", failure.getMessage());
    }

    /** Releases all permits. Completes when the store has replied, or after a second. */
    public Uni<Void> releaseAll() {
        List<Uni<Void>> all = renewed.values().stream().map(RenewedLease::release).toList();
        return all.isEmpty() ? Uni.createFrom().voidItem() : Uni.join().all(all).andCollectFailures().replaceWithVoid();
    }

    /**
     * Releases all permits, also those acquired later. Stops the retries when the store has replied, or after a second.
     */
    public Uni<Void> stop() {
        stopped = true;
        return releaseAll().invoke(() -> givenUp = true);
    }

    private final class RenewedLease implements Lease {

        private final List<PolicyPart> leased;
        private final HeldBy heldBy;
        private final LimitStore store;
        private final Runnable cancelTimer;
        private Uni<StoreReply> renewing = Uni.createFrom().nullItem();
        private Uni<Void> released;
        private volatile BooleanSupplier ended = () -> true;

        RenewedLease(List<PolicyPart> leased, long id, LimitStore store) {
            this.leased = leased;
            this.heldBy = new HeldBy(id, leased.get(0).policy().name(), leased.get(0).key());
            this.store = store;
            this.cancelTimer = timers.every(Duration.ofMillis(RefundOperations.shortestLeaseTime(leased) / 3),
                    this::renewOrRelease);
        }

        @Override
        public void confirm(BooleanSupplier ended) {
            this.ended = ended;
        }

        /** Calls {@code ended} without holding the lock, as the code behind it may wait for a release. */
        private void renewOrRelease() {
            if (ended.getAsBoolean()) {
                release();
            } else {
                renew();
            }
        }

        private synchronized void renew() {
            if (released == null) {
                StoreRequest renewal = RefundOperations.renewal(leased, heldBy.id);
                renewing = store.decide(renewal).invoke(reply -> endIfDenied(renewal, reply)).onFailure()
                        .invoke(failure -> LOG.debugf("A lease was not renewed: %s", failure.getMessage()))
                        .onFailure().invoke(mistakes::failedUnlessRedis)
                        .onFailure().recoverWithNull().memoize().indefinitely();
                renewing.subscribe().with(ignored -> {
                });
            }
        }

        /** Stops the renewal, as the reservation has ended, here or on another instance. */
        private synchronized void endIfDenied(StoreRequest renewal, StoreReply reply) {
            if (!renewal.allowedBy(reply) && released == null) {
                stopRenewal();
            }
        }

        /** Waits for a renewal that is in progress, which would otherwise restore the lease. */
        @Override
        public synchronized Uni<Void> release() {
            if (released == null) {
                stopRenewal();
                // created only once: work may end after the application has stopped, and Mutiny with it
                released = tried(renewing.chain(() -> refund(store, leased, heldBy.id)));
            }
            return released;
        }

        private void stopRenewal() {
            renewed.remove(heldBy, this);
            cancelTimer.run();
        }
    }
}
