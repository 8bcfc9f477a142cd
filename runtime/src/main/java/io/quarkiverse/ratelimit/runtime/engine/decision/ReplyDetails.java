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
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/** The details of a decision when the store made it. */
public class ReplyDetails extends Decision.OnFirstUse {

    final PolicyPart part;
    final StoreReply reply;
    final boolean charged;

    /** @param charged whether the call was charged */
    ReplyDetails(PolicyPart part, StoreReply reply, boolean charged) {
        this.part = part;
        this.reply = reply;
        this.charged = charged;
    }

    /** The details when the store made the decision, also of one that is described later. */
    ReplyDetails whenDecided(boolean finallyCharged) {
        return new ReplyDetails(part, reply, finallyCharged);
    }

    @Override
    protected final Details calculate() {
        int limits = part.policy().limits().size();
        List<LimitState> states = new ArrayList<>(limits);
        for (int i = 0; i < limits; i++) {
            states.add(state(i));
        }
        return part.allowedBy(reply) ? details(states, null) : denied(states);
    }

    private Details details(List<LimitState> states, DenialReason reason) {
        LimitState determining = LimitUsage.determining(states);
        long remaining = Long.MAX_VALUE;
        Duration delay = Duration.ZERO, reset = Duration.ZERO;
        for (LimitState state : states) {
            remaining = Math.min(remaining, state.remaining());
            delay = LimitUsage.longer(state.delay(), delay);
            reset = LimitUsage.longer(state.resetAfter(), reset);
        }
        return new Details(determining.limit(), determining.permits(), remaining, delay, determining.retryAfter(), reset,
                List.copyOf(states), reason, Instant.EPOCH.plus(micros(), ChronoUnit.MICROS));
    }

    @Override
    public ReplyDetails reply() {
        return this;
    }

    /** The reply of one limit. */
    final UsageReply usage(int limit) {
        return reply.usage(part.first() + limit);
    }

    /** The time that the details describe, microseconds since the epoch. */
    long micros() {
        return reply.time();
    }

    /** The state of one limit at that time. */
    LimitState state(int limit) {
        return usage(limit).state(name(limit), part.charge().requested(limit), reply.time(), charged);
    }

    final String name(int limit) {
        return part.policy().limits().get(limit).name();
    }

    private Details denied(List<LimitState> states) {
        Duration block = part.blockedFor(reply);
        if (!block.isZero()) {
            states.replaceAll(state -> LimitUsage.blocked(state, block));
        }
        boolean never = LimitUsage.determining(states).retryAfter().isZero();
        return details(states, never ? DenialReason.COST_ABOVE_CAPACITY
                : block.isZero() ? DenialReason.LIMIT_REACHED : part.policy().reasonOfBlock());
    }
}
