package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * A key of a policy that prefetches: its calls on this instance, and the permits that were acquired ahead for it. Times are
 * nanoseconds. Callers hold the lock of the key, except where a method takes it.
 */
final class PrefetchedKey {

    /** Fewer calls are not worth the exact refund of what they do not use. */
    private static final int FEWEST_CALLS = 4;

    private final long window;
    /** What the calls of the last time cost, the older the less. */
    private double recent;
    private long calledAt, scarceUntil;
    private PrefetchLot lot;
    /** Completes when the request that acquires permits ahead has ended; {@code null} for none. */
    private CompletableFuture<Void> exchange;
    private long exchangeDue;
    private boolean watched;
    /** Until when Redis must track the calls, so that permits acquired ahead by any instance can be refunded exactly. */
    private long trackedUntil;
    private Charge untracked, tracked;

    PrefetchedKey(Policy policy, long now) {
        this.window = policy.prefetch().time().toNanos();
        this.calledAt = now;
        this.scarceUntil = now;
        this.trackedUntil = now;
    }

    /** Whether another key may take its place. */
    synchronized boolean isIdle(long now) {
        return !isHolding() && now - calledAt >= 2 * window;
    }

    synchronized boolean isHolding() {
        return lot != null || exchange != null;
    }

    /** Counts a call on this instance. */
    void called(long cost, long now) {
        recent = recent * Math.exp((calledAt - now) / (double) window) + cost;
        calledAt = now;
    }

    /**
     * How many permits to acquire ahead with a call: what the calls of half the time cost here lately, so that they are
     * usually used up in time. Nothing for a key that is rarely used or was scarce a moment ago.
     */
    long ahead(Policy policy, long cost, long now) {
        if (isHolding() || now - scarceUntil < 0) {
            return 0;
        }
        long calls = (long) (recent / 2 / cost);
        return calls < FEWEST_CALLS ? 0 : Math.min(calls, policy.prefetch().permits() / cost) * cost;
    }

    /** Hands out permits that were acquired under the same limits; {@code null} if there are not enough. */
    synchronized Outcome handOut(Call call, long now) {
        KeyedCharge only = call.charges().get(0);
        long cost = only.charge().limitRequests.get(0).cost();
        if (lot == null || isOutdated(only.policy(), now) || lot.left < cost) {
            return null;
        }
        Outcome outcome = lot.handOut(call, cost);
        lot = lot.left == 0 ? null : lot;
        return outcome;
    }

    /** Whether there are permits that must not be handed out by this policy. */
    boolean isOutdated(Policy policy, long now) {
        if (lot == null) {
            return false;
        }
        Policy charged = lot.charged.appliedPolicy();
        boolean alike = charged == policy
                || charged.limits().equals(policy.limits()) && Objects.equals(charged.penalty(), policy.penalty());
        return !alike || lot.timeLeft(now) == 0;
    }

    /** The call, which Redis tracks if this instance has acquired ahead lately. Calls of one charge can still be merged. */
    synchronized Call tracked(Call call, long now) {
        if (now - trackedUntil >= 0) {
            return call;
        }
        KeyedCharge only = call.charges().get(0);
        if (untracked != only.charge()) {
            untracked = only.charge();
            tracked = untracked.refundable();
        }
        return new Call(call.id(), tracked, only.key());
    }

    /** Begins an exchange: a request that acquires permits ahead, for whose reply other calls wait. */
    void begin(Deadline deadline, long now) {
        trackedUntil = now + 2 * window;
        exchangeDue = deadline.due();
        exchange = new CompletableFuture<>();
    }

    /** Whether a call can wait for the exchange and still has time for a request of its own. */
    boolean letsWait(Deadline deadline) {
        return exchange != null && deadline.due() - exchangeDue >= 0;
    }

    /** Completes when no exchange is under way. */
    synchronized Uni<Void> endOfExchange() {
        CompletableFuture<Void> underWay = exchange;
        return underWay == null ? Uni.createFrom().voidItem()
                : PlainUni.emitter(call -> underWay.thenRun(() -> call.complete(null)));
    }

    /**
     * Ends the exchange with what it acquired, {@code null} if it failed.
     *
     * @return whether there are permits which nothing watches yet
     */
    boolean end(PrefetchLot acquired, long sent) {
        CompletableFuture<Void> ended;
        boolean unwatched;
        synchronized (this) {
            lot = acquired == null || acquired.left == 0 ? null : acquired;
            scarceUntil = lot == null ? sent + window : scarceUntil;
            unwatched = lot != null && !watched;
            watched |= unwatched;
            ended = exchange;
            exchange = null;
        }
        ended.complete(null);
        return unwatched;
    }

    /** How long the permits may be kept; 0 when there are none to watch any more. */
    synchronized long watchFor(long now) {
        long left = lot == null ? 0 : lot.timeLeft(now);
        watched = left > 0;
        return left;
    }

    /** Refunds what is left, once. */
    synchronized Uni<Void> refund(Refunds refunds) {
        PrefetchLot kept = lot;
        return kept == null ? Uni.createFrom().voidItem() : kept.refund(refunds, () -> drop(kept));
    }

    private synchronized void drop(PrefetchLot refunded) {
        lot = lot == refunded ? null : lot;
    }

    /** Permits that one request acquired for its own call and for later calls. All methods need the lock of its key. */
    static final class PrefetchLot {

        /** The whole charge. */
        private final Decision charged;
        private final StoreReply reply;
        private final long until;
        private final long repliedAt = System.nanoTime();
        private long left;
        private Uni<Void> refund;

        /** @param sent when the request was sent */
        PrefetchLot(Call call, StoreReply reply, long sent) {
            KeyedCharge only = call.charges().get(0);
            this.charged = Outcome.of(call, reply, Source.REDIS).all().get(0);
            this.reply = reply;
            this.left = only.allowedBy(reply) ? reply.usage(0).granted() - only.charge().requested.least() : 0;
            Duration time = only.policy().prefetch().time();
            // what nobody has used of a window is lost at its end
            boolean endsEarlier = only.policy().limits().get(0).limit().algorithm() == Algorithm.FIXED_WINDOW
                    && charged.resetAfter().compareTo(time) < 0;
            this.until = sent + (endsEarlier ? charged.resetAfter() : time).toNanos();
        }

        /** How long the permits may still be handed out; 0 if they are refunded. */
        long timeLeft(long now) {
            return refund != null ? 0 : Math.max(0, until - now);
        }

        /** Hands out permits, as if this call directly followed the calls before. */
        Outcome handOut(Call call, long cost) {
            StoreReply next = replyAfter(reply.usage(0).granted() - left, cost);
            left -= cost;
            return Outcome.of(call, next, Source.REDIS).prefetched((System.nanoTime() - repliedAt) / 1_000);
        }

        /** The reply to a call of this cost, after calls that have used some of the permits. */
        StoreReply replyAfter(long used, long cost) {
            List<LimitReply> replies = new ArrayList<>(reply.limits());
            replies.set(0, reply.usage(0).toOne(cost, used, reply.time()));
            return new StoreReply(reply.time(), replies);
        }

        /** Refunds what is left, once. */
        Uni<Void> refund(Refunds refunds, Runnable done) {
            if (refund == null) {
                refund = refunds.refundPrefetched(charged, left).onTermination().invoke(done).memoize().indefinitely();
            }
            return refund;
        }
    }
}
