package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/** The details of a decision when the store made it. */
public class ReplyDetails extends Decision.OnFirstUse {

    final PolicyPart part;
    final StoreReply reply;
    final boolean charged;
    private List<LimitState> states;

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

    /** The states of the limits, calculated when something first needs them. The headers of a response need nothing else. */
    @Override
    public final List<LimitState> limits() {
        List<LimitState> known = states;
        if (known == null) {
            known = calculateStates();
            states = known;
        }
        return known;
    }

    private List<LimitState> calculateStates() {
        List<LimitState> all = new ArrayList<>(1);
        for (int i = 0; i < part.charge().ofLimits.size(); i++) {
            all.add(state(i));
        }
        return part.allowedBy(reply) ? List.copyOf(all) : denied(all);
    }

    private List<LimitState> denied(List<LimitState> all) {
        Duration block = part.blockedFor(reply);
        return block.isZero() ? List.copyOf(all)
                : all.stream().<LimitState> map(state -> LimitUsage.blocked(state, block)).toList();
    }

    @Override
    protected final Details calculate() {
        LimitState determining = LimitUsage.determining(limits());
        long remaining = Long.MAX_VALUE;
        Duration delay = Duration.ZERO;
        Duration reset = Duration.ZERO;
        for (LimitState state : limits()) {
            remaining = Math.min(remaining, state.remaining());
            delay = LimitUsage.longer(state.delay(), delay);
            reset = LimitUsage.longer(state.resetAfter(), reset);
        }
        return new Details(determining.limit(), determining.permits(), remaining, delay, determining.retryAfter(), reset,
                limits(), part.allowedBy(reply) ? null : reason(determining), Instant.EPOCH.plus(micros(), ChronoUnit.MICROS));
    }

    private DenialReason reason(LimitState determining) {
        return determining.retryAfter().isZero() ? DenialReason.COST_ABOVE_CAPACITY
                : part.blockedFor(reply).isZero() ? DenialReason.LIMIT_REACHED : part.policy().reasonOfBlock();
    }

    @Override
    public ReplyDetails reply() {
        return this;
    }

    /** The time that the details describe, microseconds since the epoch. */
    long micros() {
        return reply.time();
    }

    /** The state of one limit at that time. */
    LimitState state(int limit) {
        return reply.usage(part.first() + limit).state(part.charge().names.get(limit), part.charge().ofLimits.get(limit),
                reply.time(), charged);
    }

    /** The details of a decision some time after the store made it, as if no other call was counted since. */
    static final class LaterDetails extends ReplyDetails {

        private final long age;
        private final boolean refilled;

        private LaterDetails(ReplyDetails decided, long age, boolean refilled) {
            super(decided.part, decided.reply, decided.charged);
            this.age = age;
            this.refilled = refilled;
        }

        /** The same decision with its limits this many microseconds later. One by permits acquired ahead stays as it is. */
        static Decision after(Decision decision, long micros) {
            if (!decision.allowed() || !(decision.calculation() instanceof ReplyDetails decided)
                    || decision.source() == Source.PREFETCHED) {
                return decision;
            }
            long age = decided instanceof LaterDetails later ? later.age + micros : micros;
            return decision.with(decision.source(), decision.granted(), new LaterDetails(decided, age, true));
        }

        /**
         * The same decision by permits that were acquired ahead, this many microseconds ago. The store does not know which of
         * them
         * were handed out since, so none that came back are added.
         */
        static Decision ofPermitsAhead(Decision decision, long micros) {
            return decision.with(Source.PREFETCHED, decision.granted(),
                    new LaterDetails((ReplyDetails) decision.calculation(), micros, false));
        }

        @Override
        long micros() {
            return reply.time() + age;
        }

        @Override
        LimitState state(int limit) {
            return refilled
                    ? reply.usage(part.first() + limit).stateAfter(age, part.charge().names.get(limit),
                            part.charge().ofLimits.get(limit), reply.time(),
                            charged)
                    : LimitUsage.unrefilled(super.state(limit), age);
        }
    }
}
