package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.PolicyCall;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/**
 * Projects the limits of a policy from a store's reply to the same or a later time, as if no other call was counted since.
 */
final class ReplyDetails extends Decision.OnFirstUse {

    /** Shorter delays are ignored: the times in headers are whole seconds. */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);

    private final PolicyCall call;
    private final StoreReply reply;
    private final boolean charged;
    private final Source source;
    private final long nanoTime;
    private final long age;

    /**
     * @param charged whether the call was charged
     * @param nanoTime the time of the reply, by {@link System#nanoTime}
     * @param age how many microseconds after the reply the limits are described
     */
    ReplyDetails(PolicyCall call, StoreReply reply, boolean charged, Source source, long nanoTime, long age) {
        this.call = call;
        this.reply = reply;
        this.charged = charged;
        this.source = source;
        this.nanoTime = nanoTime;
        this.age = age;
    }

    /** The details of a reply that has just arrived, or from which this instance hands out permits now. */
    static ReplyDetails of(PolicyCall call, StoreReply reply, boolean charged, Source source) {
        long now = System.nanoTime();
        return reply.prefetchedAt() == null ? new ReplyDetails(call, reply, charged, source, now, 0)
                : new ReplyDetails(call, reply, charged, Source.PREFETCHED, reply.prefetchedAt(),
                        (now - reply.prefetchedAt()) / 1_000);
    }

    /** @param id of the call */
    Decision decision(long id) {
        return new Decision(call.policy(), call.key(), allowed(), granted(), source, id, this);
    }

    private boolean allowed() {
        return call.allowedBy(reply);
    }

    private long granted() {
        return !charged ? 0
                : call.requested().kind() == OperationKind.ACQUIRE_UP_TO ? reply.limits().get(call.first()).granted()
                        : call.requested().cost();
    }

    private Duration blockedFor() {
        return charged ? Duration.ZERO : reply.blockedFor(call.first() + call.operationCount() - 1);
    }

    boolean isOutdated(long now) {
        return source != Source.PREFETCHED && now - nanoTime >= SHORTEST;
    }

    /** @param now by {@link System#nanoTime} */
    ReplyDetails at(long now) {
        return new ReplyDetails(call, reply, charged, source, nanoTime, (now - nanoTime) / 1_000);
    }

    /** For prefetched permits: as of when Redis charged them. */
    ReplyDetails asCharged() {
        return new ReplyDetails(call, reply, charged, Source.REDIS, nanoTime, 0);
    }

    @Override
    protected Details calculate() {
        Duration blockedFor = blockedFor();
        List<LimitState> states = states(blockedFor);
        LimitState determining = DeterminingLimit.of(states);
        long remaining = Long.MAX_VALUE;
        Duration delay = Duration.ZERO;
        Duration reset = Duration.ZERO;
        for (LimitState state : states) {
            remaining = Math.min(remaining, state.remaining());
            delay = LimitUsage.longer(state.delay(), delay);
            reset = LimitUsage.longer(state.resetAfter(), reset);
        }
        return new Details(determining.limit(), determining.permits(), remaining, delay, determining.retryAfter(), reset,
                states, allowed() ? null : reason(determining, blockedFor),
                Instant.EPOCH.plus(reply.time() + age, ChronoUnit.MICROS));
    }

    private static DenialReason reason(LimitState denying, Duration blockedFor) {
        return denying.retryAfter().isZero() ? DenialReason.COST_ABOVE_CAPACITY
                : blockedFor.isZero() ? DenialReason.LIMIT_REACHED : DenialReason.BLOCKED;
    }

    private List<LimitState> states(Duration blockedFor) {
        int limits = call.policy().limits().size();
        List<LimitState> states = new ArrayList<>(limits);
        for (int i = 0; i < limits; i++) {
            LimitState state = state(i);
            states.add(blockedFor.isZero() ? state : LimitUsage.blocked(state, blockedFor));
        }
        return states;
    }

    private LimitState state(int limit) {
        String name = call.policy().limits().get(limit).name();
        PermitRequest requested = call.requested(limit);
        if (age == 0 || source == Source.PREFETCHED) {
            LimitState state = reply.usage(call.first() + limit).state(name, requested, reply.time(), charged);
            // Redis does not know which permits were handed out since, so none that came back are added
            return age == 0 ? state : LimitUsage.unrefilled(state, age);
        }
        return reply.usage(call.first() + limit).stateAfter(age, name, requested, reply.time(), charged);
    }
}
