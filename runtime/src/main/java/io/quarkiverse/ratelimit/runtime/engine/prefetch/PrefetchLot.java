package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;

/** Permits that one request acquired for its own call and for later calls. All methods need the lock of its key. */
final class PrefetchLot {

    private final Decision charged;
    private final StoreReply reply;
    private final long until;
    private final long repliedAt = System.nanoTime();
    private long used;
    private Uni<Void> refund;

    /**
     * @param charged the whole charge
     * @param until when they must no longer be handed out
     * @param used what the call itself has used
     */
    private PrefetchLot(Decision charged, StoreReply reply, long until, long used) {
        this.charged = charged;
        this.reply = reply;
        this.until = until;
        this.used = used;
    }

    /**
     * What a call has acquired ahead; {@code null} for nothing.
     *
     * @param sent when the request was sent
     */
    static PrefetchLot of(Call call, StoreReply reply, long sent) {
        PolicyPart only = call.parts().get(0);
        long own = only.charge().requested.least();
        if (reply.usage(0).granted() <= own || !only.allowedBy(reply)) {
            return null;
        }
        Decision charged = Outcome.of(call, reply, Source.REDIS).all().get(0);
        Duration time = only.policy().prefetch().time();
        boolean endsEarlier = only.policy().limits().get(0).rule().losesUnusedPermits()
                && charged.resetAfter().compareTo(time) < 0;
        return new PrefetchLot(charged, reply, sent + (endsEarlier ? charged.resetAfter() : time).toNanos(), own);
    }

    Policy policy() {
        return charged.appliedPolicy();
    }

    long left() {
        return reply.usage(0).granted() - used;
    }

    /** How long the permits may still be handed out; 0 if they are refunded. */
    long timeLeft(long now) {
        return refund != null ? 0 : Math.max(0, until - now);
    }

    /** Hands out permits, as if this call directly followed the calls before. */
    Outcome handOut(Call call, long cost) {
        StoreReply own = next(reply, used, cost);
        used += cost;
        return Outcome.of(call, own, Source.REDIS).ofPermitsAhead((System.nanoTime() - repliedAt) / 1_000);
    }

    /** Refunds what is left, once. */
    Uni<Void> refund(Refunds refunds, Runnable done) {
        if (refund == null) {
            refund = refunds.refundAhead(charged, left()).onTermination().invoke(done).memoize().indefinitely();
        }
        return refund;
    }

    /** The reply to the next call, which has this cost, after calls that have used some of the permits. */
    static StoreReply next(StoreReply reply, long used, long cost) {
        List<LimitReply> first = new ArrayList<>(reply.limits());
        first.set(0, reply.usage(0).afterCharge(used).forFirst(cost, reply.time()));
        return new StoreReply(reply.time(), first);
    }

    /** A request that acquires permits ahead, and the calls that wait for its reply. */
    static final class Exchange {

        /** More calls would take longer to complete than a request to Redis. */
        private static final int MOST_WAITING = 1_024;

        private final long due;
        /** {@code null} after the end. */
        private List<UniEmitter<? super Void>> waiting = new ArrayList<>();
        private boolean invalid;

        Exchange(Deadline deadline) {
            this.due = deadline.due();
        }

        /** Whether a call can wait for the reply and still has time for a request of its own. */
        synchronized boolean isInTime(Deadline deadline) {
            return deadline.due() - due >= 0 && (waiting == null || waiting.size() < MOST_WAITING);
        }

        /** Whether it must not keep permits; guarded by the lock of its key. */
        boolean isInvalid() {
            return invalid;
        }

        void invalidate() {
            invalid = true;
        }

        /** Completes when the exchange has ended. */
        Uni<Void> end() {
            return PlainUni.emitter(call -> {
                synchronized (this) {
                    if (waiting != null) {
                        waiting.add(call);
                        return;
                    }
                }
                call.complete(null);
            });
        }

        void ended() {
            List<UniEmitter<? super Void>> all;
            synchronized (this) {
                all = waiting;
                waiting = null;
            }
            all.forEach(call -> call.complete(null));
        }
    }
}
