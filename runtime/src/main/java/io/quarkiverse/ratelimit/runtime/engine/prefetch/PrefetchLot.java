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
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.smallrye.mutiny.Uni;

/** Permits that one request acquired for its own call and for later calls. All methods need the lock of its key. */
final class PrefetchLot {

    /** The whole charge. */
    private final Decision charged;
    private final StoreReply reply;
    private final long until;
    private final long repliedAt = System.nanoTime();
    private long used;
    private Uni<Void> refund;

    private PrefetchLot(Call call, StoreReply reply, long sent) {
        PolicyPart only = call.parts().get(0);
        this.charged = Outcome.of(call, reply, Source.REDIS).all().get(0);
        this.reply = reply;
        this.used = only.charge().requested.least();
        Duration time = only.policy().prefetch().time();
        boolean endsEarlier = only.policy().limits().get(0).rule().losesUnusedPermits()
                && charged.resetAfter().compareTo(time) < 0;
        this.until = sent + (endsEarlier ? charged.resetAfter() : time).toNanos();
    }

    /**
     * What a call has acquired ahead; {@code null} for nothing.
     *
     * @param sent when the request was sent
     */
    static PrefetchLot of(Call call, StoreReply reply, long sent) {
        PolicyPart only = call.parts().get(0);
        return reply.usage(0).granted() > only.charge().requested.least() && only.allowedBy(reply)
                ? new PrefetchLot(call, reply, sent)
                : null;
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
        first.set(0, reply.usage(0).toOne(cost, used, reply.time()));
        return new StoreReply(reply.time(), first);
    }
}
