package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision.Acquired;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.refunds.RefundOperations.HeldPermits;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;

/**
 * Keeps the permits of calls that run. Renews them three times in each lease time, so that only the permits of a
 * crashed instance expire. Releases them when the call ends, and retries until the store has replied.
 */
public final class Leases {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** Largest number of leases that this instance does not renew, and releases at the same time. */
    private static final int MAX_FOREIGN = 10_000;

    private final Timers timers;
    private final LimitStore shared;
    private final LimitStore local;
    private final FailureLog mistakes;
    private final Semaphore foreign = new Semaphore(MAX_FOREIGN);
    private final Map<Acquired, RenewedLease> renewed = new ConcurrentHashMap<>();
    private volatile boolean stopped, givenUp;

    public Leases(Timers timers, LimitStore shared, LimitStore local, FailureLog mistakes) {
        this.timers = timers;
        this.shared = shared;
        this.local = local;
        this.mistakes = mistakes;
    }

    /** Begins to renew the permits that the call holds while it runs, if it holds any, and returns the outcome with them. */
    public Outcome begin(Call call, Outcome outcome) {
        List<Lease> leases = new ArrayList<>(0);
        for (Decision decision : outcome.all()) {
            if (decision.id() == call.id() && decision.charged() && decision.appliedPolicy().holdsPermits()) {
                RenewedLease lease = new RenewedLease(decision);
                renewed.put(decision.acquired(), lease);
                leases.add(lease);
            }
        }
        if (stopped) {
            leases.forEach(Lease::release);
        }
        return leases.isEmpty() ? outcome : outcome.holding(leases.size() == 1 ? leases.get(0) : new LeaseOfAll(leases));
    }

    /** Releases what a call may hold in Redis, after its request was sent and got no reply. */
    public void releaseUnanswered(Call call) {
        releaseForeign(HeldPermits.of(call), call.id());
    }

    /** Returns the lease of a reservation, perhaps of another instance. */
    public Lease leaseOf(Decision reserved) {
        Lease own = renewed.get(reserved.acquired());
        return own != null ? own
                : reserved.source() == Source.REDIS ? () -> releaseForeign(HeldPermits.of(reserved), reserved.id())
                        : Lease.NONE;
    }

    /** Releases permits that this instance does not renew. */
    private Uni<Void> releaseForeign(List<HeldPermits> held, long id) {
        if (held.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return tried(foreign.tryAcquire() ? untilReplied(shared, held, id).onTermination().invoke(foreign::release)
                : shared.decide(HeldPermits.release(held, id)).replaceWithVoid());
    }

    /** Retries the release until the store has replied or the permits have expired. */
    private Uni<Void> untilReplied(LimitStore store, List<HeldPermits> held, long id) {
        return store.decide(HeldPermits.release(held, id)).onFailure().invoke(mistakes::failedUnlessRedis)
                .onFailure(failure -> !givenUp).retry().withBackOff(Refunds.FIRST_PAUSE, Refunds.LONGEST_PAUSE)
                .expireIn(HeldPermits.shortestLeaseTime(held).toMillis()).replaceWithVoid();
    }

    /** Starts a release. Completes when it has ended, or after a second, and never fails. */
    private Uni<Void> tried(Uni<Void> release) {
        Uni<Void> released = release.memoize().indefinitely();
        released.subscribe().with(ignored -> {
        }, failure -> LOG.debugf("A lease is not released and expires: %s", failure.getMessage()));
        return timers.within(Refunds.LONGEST_PAUSE, released).onFailure().recoverWithNull();
    }

    /** Releases all permits. Completes when the store has replied, or after a second. */
    public Uni<Void> releaseAll() {
        return Uni.join().all(renewed.values().stream().map(RenewedLease::release).toList()).andCollectFailures()
                .replaceWithVoid();
    }

    /** Releases all permits, also those acquired later. Then stops the retries, also when the subscriber cancels. */
    public Uni<Void> stop() {
        stopped = true;
        return releaseAll().onTermination().invoke(() -> givenUp = true);
    }

    private final class RenewedLease implements Lease {

        private final Decision decision;
        private final List<HeldPermits> held;
        private final LimitStore store;
        private final Runnable cancelTimer;
        private Uni<StoreReply> renewing = Uni.createFrom().nullItem();
        private Uni<Void> released;
        private volatile BooleanSupplier ended = () -> true;

        RenewedLease(Decision decision) {
            this.decision = decision;
            this.held = HeldPermits.of(decision);
            this.store = decision.source() == Source.FALLBACK ? local : shared;
            this.cancelTimer = timers.every(HeldPermits.shortestLeaseTime(held).dividedBy(3), this::renewOrRelease);
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

        /** Renews the permits, or releases them if the reservation has ended, perhaps on another instance. */
        private synchronized void renew() {
            if (released == null) {
                StoreRequest renewal = HeldPermits.renewal(held, decision.id());
                renewing = store.decide(renewal).onFailure().recoverWithItem(failure -> {
                    LOG.debugf("A lease was not renewed: %s", failure.getMessage());
                    mistakes.failedUnlessRedis(failure);
                    return null;
                }).memoize().indefinitely();
                renewing.subscribe().with(reply -> {
                    if (reply != null && !renewal.allowedBy(reply)) {
                        release();
                    }
                });
            }
        }

        /** Waits for a renewal that is in progress, which would otherwise restore the lease. */
        @Override
        public synchronized Uni<Void> release() {
            if (released == null) {
                renewed.remove(decision.acquired(), this);
                cancelTimer.run();
                // created only once, because work may end after the application and Mutiny have stopped
                released = tried(renewing.chain(() -> untilReplied(store, held, decision.id())));
            }
            return released;
        }
    }

    private record LeaseOfAll(List<Lease> leases) implements Lease {

        @Override
        public Uni<Void> release() {
            return Uni.join().all(leases.stream().map(Lease::release).toList()).andFailFast().replaceWithVoid();
        }

        @Override
        public void confirm(BooleanSupplier ended) {
            leases.forEach(lease -> lease.confirm(ended));
        }
    }
}
