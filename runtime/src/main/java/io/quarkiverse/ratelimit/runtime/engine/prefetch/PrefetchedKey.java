package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchLot.Exchange;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * A key of a policy that prefetches: its calls on this instance, and the permits that were acquired ahead for it. Times are
 * nanoseconds. Callers hold the lock of the key, except where a method takes it.
 */
final class PrefetchedKey {

    /** Fewer calls are not worth the exact refund of what they do not use. */
    private static final int FEWEST_CALLS = 4;

    final String key;
    private final String policy;
    private final long window;
    /** The policy of the last call, with the limits in force. */
    private Policy last;
    private long began, cost, costBefore, scarceUntil;
    private PrefetchLot lot;
    private Exchange exchange;
    private boolean watched;
    /** Until when Redis must track the calls, so that permits acquired ahead by any instance can be refunded exactly. */
    private long trackedUntil;
    private Charge untracked, tracked;

    PrefetchedKey(Policy policy, String key, long now) {
        this.policy = policy.name();
        this.last = policy;
        this.key = key;
        this.window = policy.prefetch().time().toNanos();
        this.began = now;
        this.scarceUntil = now;
        this.trackedUntil = now;
    }

    boolean isOf(String policy, String key) {
        return this.key.equals(key) && this.policy.equals(policy);
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
    Outcome handOut(Call call, long now) {
        PolicyPart only = call.parts().get(0);
        long cost = only.charge().ofLimits.get(0).cost();
        if (lot == null || isOutdated(now) || lot.left() < cost || !isAlike(lot.policy(), only.policy())) {
            return null;
        }
        Outcome outcome = lot.handOut(call, cost);
        lot = lot.left() == 0 ? null : lot;
        return outcome;
    }

    /** Whether there are permits that must not be handed out. */
    boolean isOutdated(long now) {
        return lot != null && (lot.timeLeft(now) == 0 || !isAlike(lot.policy(), last));
    }

    /** The call, which Redis tracks if this instance has acquired ahead lately. Calls of one charge can still be merged. */
    Call tracked(Call call, long now) {
        if (now - trackedUntil >= 0) {
            return call;
        }
        PolicyPart only = call.parts().get(0);
        if (untracked != only.charge()) {
            untracked = only.charge();
            tracked = untracked.refundable();
        }
        return new Call(call.id(), tracked, only.key());
    }

    Exchange exchange() {
        return exchange;
    }

    Exchange begin(Deadline deadline, long now) {
        trackedUntil = now + 2 * window;
        exchange = new Exchange(deadline);
        return exchange;
    }

    /**
     * Ends the exchange.
     *
     * @param acquired what it acquired ahead; {@code null} for nothing
     */
    void end(PrefetchLot acquired, long now) {
        exchange = null;
        lot = acquired;
        if (acquired == null) {
            scarceUntil = now + window;
        }
    }

    /** Whether nothing watches the permits yet. */
    boolean startWatching() {
        boolean first = !watched;
        watched = true;
        return first;
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

    /** Drops the permits, after the key was removed from Redis. */
    synchronized void drop() {
        lot = null;
        cost = 0;
        costBefore = 0;
        invalidate();
    }

    /** The exchange under way must not keep permits. */
    synchronized void invalidate() {
        if (exchange != null) {
            exchange.invalidate();
        }
    }

    /** Holds the keys for which permits are acquired ahead, in a fixed number of places. Each key has one place. */
    static final class Table {

        /** Bounds the memory. A key whose place another key uses is decided by Redis alone. */
        static final int PLACES = 1 << 14;

        private final AtomicReferenceArray<PrefetchedKey> keys = new AtomicReferenceArray<>(PLACES);

        private static int place(String policy, String key) {
            int hash = policy.hashCode() * 31 + key.hashCode();
            return (hash ^ hash >>> 16) & PLACES - 1;
        }

        /** The key in its place, new if the place is free; {@code null} while another key uses it. */
        PrefetchedKey claimed(Policy policy, String key, long now) {
            int place = place(policy.name(), key);
            PrefetchedKey present = keys.get(place);
            if (present != null && present.isOf(policy.name(), key)) {
                return present;
            }
            PrefetchedKey fresh = present == null || present.isIdle(now) ? new PrefetchedKey(policy, key, now) : null;
            return fresh != null && keys.compareAndSet(place, present, fresh) ? fresh : null;
        }

        /** The key if it is in its place, otherwise {@code null}. */
        PrefetchedKey known(String policy, String key) {
            PrefetchedKey present = keys.get(place(policy, key));
            return present != null && present.isOf(policy, key) ? present : null;
        }

        void forEach(Consumer<PrefetchedKey> action) {
            for (int place = 0; place < PLACES; place++) {
                PrefetchedKey key = keys.get(place);
                if (key != null) {
                    action.accept(key);
                }
            }
        }
    }
}
