package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.smallrye.mutiny.Uni;

/**
 * A key of a policy that prefetches: its calls on this instance, and the permits that were acquired ahead for it. Times are
 * nanoseconds. Callers hold the lock of the key, except where a method takes it.
 */
final class PrefetchedKey {

    /** Fewer calls are not worth the exact refund of what they do not use. */
    private static final int FEWEST_CALLS = 4;
    /** More calls would take longer to complete than a request to Redis. */
    private static final int MOST_WAITING = 1_024;

    final String caller;
    private final String policy;
    private final long window;
    /** The policy of the last call, with the limits in force. */
    private Policy last;
    private long began, cost, costBefore, scarceUntil;
    private Lot lot;
    private Exchange exchange;
    private boolean watched;

    PrefetchedKey(Policy policy, String caller, long now) {
        this.policy = policy.name();
        this.last = policy;
        this.caller = caller;
        this.window = policy.prefetch().time().toNanos();
        this.began = now;
        this.scarceUntil = now;
    }

    boolean isOf(String policy, String caller) {
        return this.caller.equals(caller) && this.policy.equals(policy);
    }

    /** Whether another key may replace this one. */
    synchronized boolean isIdle(long now) {
        return lot == null && exchange == null && now - began >= 2 * window;
    }

    synchronized boolean isHolding() {
        return lot != null || exchange != null;
    }

    /** Counts a call on this instance. */
    void called(Policy policy, long cost, long now) {
        if (!isAlike(policy, last)) {
            this.cost = 0;
            costBefore = 0;
        }
        last = policy;
        long elapsed = now - began;
        if (elapsed < 0 || elapsed >= window) {
            costBefore = elapsed >= 0 && elapsed < 2 * window ? this.cost : 0;
            this.cost = 0;
            began = now;
        }
        this.cost += cost;
    }

    /**
     * How many permits to acquire ahead with a call: what the calls of half the time cost here lately, so that they are
     * usually used up in time. Nothing for a key that is rarely used or was scarce a moment ago.
     */
    long ahead(Policy policy, long cost, long now) {
        if (lot != null || now - scarceUntil < 0) {
            return 0;
        }
        double lately = this.cost + costBefore * ((window - (now - began)) / (double) window);
        long calls = (long) (lately / 2 / cost);
        return calls < FEWEST_CALLS ? 0 : Math.min(calls, policy.prefetch().permits() / cost) * cost;
    }

    /** Whether both allow the same calls. */
    private static boolean isAlike(Policy one, Policy other) {
        return one == other || one.limits().equals(other.limits()) && Objects.equals(one.penalty(), other.penalty());
    }

    /** Hands out permits that were acquired under the same limits; {@code null} if there are not enough. */
    StoreReply handOut(Policy policy, long cost, long now) {
        if (lot == null || isOutdated(now) || lot.left() < cost || !isAlike(lot.policy(), policy)) {
            return null;
        }
        StoreReply reply = lot.reply(cost);
        lot.used += cost;
        lot = lot.left() == 0 ? null : lot;
        return reply;
    }

    /** Whether there are permits that must not be handed out. */
    boolean isOutdated(long now) {
        return lot != null && (lot.refund != null || now - lot.until >= 0 || !isAlike(lot.policy(), last));
    }

    Exchange exchange() {
        return exchange;
    }

    Exchange begin(Deadline deadline) {
        exchange = new Exchange(deadline.due());
        return exchange;
    }

    /**
     * Ends the exchange.
     *
     * @param acquired what it acquired ahead; {@code null} for nothing
     */
    void end(Lot acquired, long now) {
        exchange = null;
        lot = acquired;
        if (acquired == null) {
            scarceUntil = now + window;
        }
    }

    /** Whether nothing watches the permits yet. */
    boolean watch() {
        boolean first = !watched;
        watched = true;
        return first;
    }

    /** How long the permits may be kept; 0 when there are none to watch any more. */
    synchronized long watchFor(long now) {
        long left = lot == null || lot.refund != null ? 0 : Math.max(0, lot.until - now);
        watched = left > 0;
        return left;
    }

    /** Refunds what is left, once; {@code null} if nothing is. */
    synchronized Uni<Void> refund(Refunds refunds) {
        Lot kept = lot;
        if (kept != null && kept.refund == null) {
            kept.refund = refunds.refund(kept.charged, kept.left()).onTermination().invoke(() -> forget(kept))
                    .memoize().indefinitely();
        }
        return kept == null ? null : kept.refund;
    }

    private synchronized void forget(Lot refunded) {
        lot = lot == refunded ? null : lot;
    }

    /** Forgets the permits, as Redis has forgotten them. */
    synchronized void forget() {
        lot = null;
        cost = 0;
        costBefore = 0;
        invalidate();
    }

    /** The exchange under way must not keep permits. */
    synchronized void invalidate() {
        if (exchange != null) {
            exchange.invalid = true;
        }
    }

    /** A request that acquires permits ahead, and the calls that wait for its reply. */
    static final class Exchange {

        private final long due;
        private List<Runnable> waiting = new ArrayList<>();
        private boolean invalid;

        private Exchange(long due) {
            this.due = due;
        }

        /** Whether a call can wait for the reply and still has time for a request of its own. */
        boolean isInTime(Deadline deadline) {
            return deadline.due() - due >= 0 && waiting.size() < MOST_WAITING;
        }

        boolean isInvalid() {
            return invalid;
        }

        /** Runs the task when the exchange has ended. */
        void onEnd(Runnable task) {
            synchronized (this) {
                if (waiting != null) {
                    waiting.add(task);
                    return;
                }
            }
            task.run();
        }

        void ended() {
            List<Runnable> all;
            synchronized (this) {
                all = waiting;
                waiting = null;
            }
            all.forEach(Runnable::run);
        }
    }

    /**
     * The part of a reply to a request that acquired permits ahead which is the reply to one call.
     *
     * @param used what the calls before have used
     * @param prefetchedAt {@code null} for the call of the request itself
     */
    static StoreReply first(StoreReply reply, long used, long cost, Long prefetchedAt) {
        List<LimitReply> first = new ArrayList<>(reply.limits());
        first.set(0, reply.usage(0).others(used).first(cost, reply.time()));
        return new StoreReply(reply.time(), first, prefetchedAt);
    }

    /** Permits that one request acquired for its own call and for later calls. */
    static final class Lot {

        private final Decision charged;
        private final StoreReply reply;
        private final long until;
        private final Long repliedAt = System.nanoTime();
        private long used;
        private Uni<Void> refund;

        /**
         * @param charged the whole charge
         * @param until when they must no longer be handed out
         * @param used what the call itself has used
         */
        Lot(Decision charged, StoreReply reply, long until, long used) {
            this.charged = charged;
            this.reply = reply;
            this.until = until;
            this.used = used;
        }

        private Policy policy() {
            return charged.applied();
        }

        private long left() {
            return reply.usage(0).granted() - used;
        }

        /** The reply of Redis to the next call, had it been made right after the calls before. */
        private StoreReply reply(long cost) {
            return first(reply, used, cost, repliedAt);
        }
    }
}
