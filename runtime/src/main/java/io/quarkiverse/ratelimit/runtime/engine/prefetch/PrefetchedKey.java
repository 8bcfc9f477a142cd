package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
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
    /** Cost of the recent calls. Older calls weigh less. */
    private double recent;
    private long calledAt, scarceUntil;
    /** The permits in use, then those acquired while some of these were left. */
    private final Deque<PrefetchLot> lots = new ArrayDeque<>(2);
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

    /** Returns whether another key may take its place. */
    synchronized boolean isIdle(long now) {
        return !isHolding() && now - calledAt >= 2 * window;
    }

    synchronized boolean isHolding() {
        return !lots.isEmpty() || exchange != null;
    }

    /** Counts a call on this instance. */
    void called(long cost, long now) {
        recent = recent * Math.exp((calledAt - now) / (double) window) + cost;
        calledAt = now;
    }

    /**
     * Returns how many permits to acquire ahead: as many as the calls of half the time cost here lately, less what is held, so
     * that they are usually used up in time. Returns 0 while more than half of the last ones are left, and for a key that is
     * rarely used or was scarce a moment ago.
     */
    long ahead(Policy policy, long cost, long now) {
        PrefetchLot held = lots.peek();
        if (exchange != null || lots.size() > 1 || now - scarceUntil < 0 || held != null && 2 * held.left > held.acquired) {
            return 0;
        }
        long calls = (long) Math.min(recent / 2, policy.prefetch().permits()) / cost;
        long ahead = calls * cost - (held == null ? 0 : held.left);
        return calls < FEWEST_CALLS ? 0 : Math.max(0, ahead - ahead % cost);
    }

    /** Hands out permits that were acquired under the same limits; {@code null} if there are not enough. */
    synchronized Outcome handOut(Call call, long cost, long now) {
        for (PrefetchLot lot : lots) {
            if (lot.left >= cost && !lot.isOutdated(call.charges().get(0).policy(), now)) {
                Outcome outcome = lot.handOut(call, cost);
                if (lot.left == 0) {
                    lots.remove(lot);
                }
                return outcome;
            }
        }
        return null;
    }

    /** Returns the call, tracked by Redis if this instance has acquired ahead lately. Equal calls can still be merged. */
    synchronized Call tracked(Call call, long now) {
        if (now - trackedUntil >= 0) {
            return call;
        }
        KeyedCharge only = call.charges().get(0);
        if (untracked != only.charge()) {
            untracked = only.charge();
            tracked = new Charge(untracked.policy(), untracked.requested().asRefundable());
        }
        return new Call(call.id(), tracked, only.key(), call.deadline());
    }

    /** Begins an exchange: a request that acquires permits ahead, for whose reply calls wait that find nothing left. */
    void begin(Deadline deadline, long now) {
        trackedUntil = now + 2 * window;
        exchangeDue = deadline.due();
        exchange = new CompletableFuture<>();
    }

    /** Returns whether a call can wait for the exchange and still has time for a request of its own. */
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
            boolean scarce = acquired == null || acquired.left == 0;
            if (scarce) {
                scarceUntil = sent + window;
            } else {
                lots.add(acquired);
            }
            unwatched = !scarce && !watched;
            watched |= unwatched;
            ended = exchange;
            exchange = null;
        }
        ended.complete(null);
        return unwatched;
    }

    /** Returns how long until the next permits must be refunded; 0 when there are none to watch any more. */
    synchronized long watchFor(long now) {
        long left = lots.stream().mapToLong(lot -> lot.timeLeft(now)).filter(time -> time > 0).min().orElse(0);
        watched = left > 0;
        return left;
    }

    /** Refunds, once, what must not be handed out under this policy. */
    synchronized Uni<Void> refundOutdated(Refunds refunds, Policy policy, long now) {
        return refund(refunds, lots.stream().filter(lot -> lot.isOutdated(policy, now)));
    }

    /** Refunds, once, what was not used in time. */
    synchronized Uni<Void> refundUnused(Refunds refunds, long now) {
        return refund(refunds, lots.stream().filter(lot -> lot.timeLeft(now) == 0));
    }

    /** Refunds what is left, once. */
    synchronized Uni<Void> refund(Refunds refunds) {
        return refund(refunds, lots.stream());
    }

    private Uni<Void> refund(Refunds refunds, Stream<PrefetchLot> some) {
        List<Uni<Void>> all = some.map(lot -> lot.refund(refunds, () -> drop(lot))).toList();
        return all.isEmpty() ? Uni.createFrom().voidItem() : Uni.join().all(all).andCollectFailures().replaceWithVoid();
    }

    private synchronized void drop(PrefetchLot refunded) {
        lots.remove(refunded);
    }

    /** Permits that one request acquired for later calls. All methods need the lock of its key. */
    static final class PrefetchLot {

        private final Policy policy;
        private final Decision charged;
        private final StoreReply reply;
        private final long until;
        private final long repliedAt = System.nanoTime();
        private final long acquired;
        private long left;
        private Uni<Void> refund;

        /**
         * @param policy whose calls get the permits
         * @param sent when the request was sent
         */
        PrefetchLot(Policy policy, Call call, StoreReply reply, long sent) {
            this.policy = policy;
            this.charged = Outcome.of(call, reply, Source.REDIS, 0).all().get(0);
            this.reply = reply;
            this.acquired = call.charges().get(0).charge().allowedBy(reply, 0) ? reply.usage(0).granted() : 0;
            this.left = acquired;
            Duration time = policy.prefetch().time();
            // unused permits of a window are lost at its end
            boolean endsEarlier = policy.limits().get(0).limit().algorithm() == Algorithm.FIXED_WINDOW
                    && charged.resetAfter().compareTo(time) < 0;
            this.until = sent + (endsEarlier ? charged.resetAfter() : time).toNanos();
        }

        /** Returns whether the permits must not be handed out under this policy. */
        boolean isOutdated(Policy inForce, long now) {
            boolean alike = inForce == policy || policy.limits().equals(inForce.limits())
                    && Objects.equals(policy.penalty(), inForce.penalty());
            return !alike || timeLeft(now) == 0;
        }

        /** Returns how long the permits may still be handed out; 0 if they are refunded. */
        long timeLeft(long now) {
            return refund != null ? 0 : Math.max(0, until - now);
        }

        /** Hands out permits, as if this call directly followed the calls before. */
        Outcome handOut(Call call, long cost) {
            List<LimitReply> replies = new ArrayList<>(reply.limits());
            replies.set(0, reply.usage(0).toOne(cost, acquired - left, reply.time()));
            left -= cost;
            return Outcome.of(call, new StoreReply(reply.time(), replies), Source.PREFETCHED,
                    (System.nanoTime() - repliedAt) / 1_000);
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
