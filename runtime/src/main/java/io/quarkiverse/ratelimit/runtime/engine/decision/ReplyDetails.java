package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.UsageReply;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyCall;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/** The details of a decision when the store made it. */
public class ReplyDetails extends Decision.OnFirstUse {

    final PolicyCall call;
    final StoreReply reply;
    final boolean charged;

    /** @param charged whether the call was charged */
    ReplyDetails(PolicyCall call, StoreReply reply, boolean charged) {
        this.call = call;
        this.reply = reply;
        this.charged = charged;
    }

    /** The details when the store made the decision, also of one that is described later. */
    ReplyDetails whenDecided(boolean finallyCharged) {
        return new ReplyDetails(call, reply, finallyCharged);
    }

    @Override
    protected final Details calculate() {
        int limits = call.policy().limits().size();
        List<LimitState> states = new ArrayList<>(limits);
        for (int i = 0; i < limits; i++) {
            states.add(state(i));
        }
        Instant time = Instant.EPOCH.plus(micros(), ChronoUnit.MICROS);
        return call.allowedBy(reply) ? details(states, null, time) : denied(states, time);
    }

    private static Details details(List<LimitState> states, DenialReason reason, Instant time) {
        LimitState determining = LimitUsage.determining(states);
        long remaining = Long.MAX_VALUE;
        Duration delay = Duration.ZERO;
        Duration reset = Duration.ZERO;
        for (LimitState state : states) {
            remaining = Math.min(remaining, state.remaining());
            delay = LimitUsage.longer(state.delay(), delay);
            reset = LimitUsage.longer(state.resetAfter(), reset);
        }
        return new Details(determining.limit(), determining.permits(), remaining, delay, determining.retryAfter(), reset,
                states,
                reason, time);
    }

    @Override
    public ReplyDetails reply() {
        return this;
    }

    /** The reply of one limit. */
    final UsageReply usage(int limit) {
        return reply.usage(call.first() + limit);
    }

    /** The time that the details describe, microseconds since the epoch. */
    long micros() {
        return reply.time();
    }

    /** The state of one limit at that time. */
    LimitState state(int limit) {
        return usage(limit).state(name(limit), call.charge().requested(limit), reply.time(), charged);
    }

    final String name(int limit) {
        return call.policy().limits().get(limit).name();
    }

    private Details denied(List<LimitState> states, Instant time) {
        Duration block = reply.blockedFor(call.first() + call.charge().operationCount() - 1);
        if (!block.isZero()) {
            states.replaceAll(state -> LimitUsage.blocked(state, block));
        }
        boolean never = LimitUsage.determining(states).retryAfter().isZero();
        return details(states, never ? DenialReason.COST_ABOVE_CAPACITY
                : block.isZero() ? DenialReason.LIMIT_REACHED : call.policy().reasonOfBlock(), time);
    }
}
