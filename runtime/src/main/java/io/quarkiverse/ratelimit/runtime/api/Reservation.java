package io.quarkiverse.ratelimit.runtime.api;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.runtime.engine.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.smallrye.mutiny.Uni;

/** Holds what was taken for one piece of work until it is settled or cancelled. */
final class Reservation implements RateLimitReservation {

    private final PolicyLimiter limiter;
    private final CallerKey key;
    private final RateLimitDecision decision;
    private final Lease lease;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** @param abandoned whether it was cancelled by somebody who did not get it */
    Reservation(PolicyLimiter limiter, CallerKey key, RateLimitDecision decision, Lease lease, BooleanSupplier abandoned) {
        this.limiter = limiter;
        this.key = key;
        this.decision = decision;
        this.lease = lease;
        lease.hold(abandoned);
    }

    @Override
    public RateLimitDecision decision() {
        return decision;
    }

    @Override
    public Uni<RateLimitDecision> settle(long actual) {
        return CallerContext.keepOnEventLoop(() -> {
            if (actual < 0 || actual > Limit.MAX_PERMITS) {
                throw new IllegalArgumentException("The actual cost must be 0 to 1000000000, but is " + actual);
            }
            if (!endsNow()) {
                return Uni.createFrom().item(decision);
            }
            long more = actual - decision.granted();
            Uni<RateLimitDecision> settled = more > 0 ? limiter.chargeMore(key, more)
                    : limiter.refund(decision, -more).chain(() -> limiter.peek(key));
            return toItsEnd(lease.release().chain(() -> settled).map(after -> granted(after, actual)));
        });
    }

    @Override
    public Uni<Void> cancel() {
        return CallerContext.keepOnEventLoop(() -> endsNow()
                ? toItsEnd(lease.release().chain(() -> limiter.refund(decision)))
                : Uni.createFrom().voidItem());
    }

    private boolean endsNow() {
        return ended.compareAndSet(false, true) && decision.allowed();
    }

    /** Goes on also when nobody waits for it any more: there is no second try. */
    private static <T> Uni<T> toItsEnd(Uni<T> ending) {
        Uni<T> once = ending.memoize().indefinitely();
        once.subscribe().with(ignored -> {
        }, ignored -> {
        });
        return once;
    }

    private static RateLimitDecision granted(RateLimitDecision d, long granted) {
        return new RateLimitDecision(d.policy(), d.limit(), d.key(), d.allowed(), d.permits(), d.remaining(), granted,
                d.delay(), d.retryAfter(), d.resetAfter(), d.source(), d.limits(), d.decidedAt(), d.id());
    }
}
