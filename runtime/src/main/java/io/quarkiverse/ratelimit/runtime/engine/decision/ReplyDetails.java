package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/**
 * The details of a decision when the store made it, calculated when something first needs them. Two threads may both do so,
 * with the same result.
 */
class ReplyDetails implements Decision.Calculation {

    final PolicyPart part;
    final StoreReply reply;
    final boolean charged;
    private List<LimitState> states;
    private Details calculated;

    ReplyDetails(PolicyPart part, StoreReply reply, boolean charged) {
        this.part = part;
        this.reply = reply;
        this.charged = charged;
    }

    /** The details at the time of the decision, also if these are {@link LaterDetails}. */
    ReplyDetails whenDecided(boolean finallyCharged) {
        return new ReplyDetails(part, reply, finallyCharged);
    }

    /** The states of the limits. The headers of a response need nothing else. */
    @Override
    public final List<LimitState> limits() {
        List<LimitState> known = states;
        if (known == null) {
            known = calculateStates();
            states = known;
        }
        return known;
    }

    @Override
    public final Details details() {
        Details known = calculated;
        if (known == null) {
            known = Details.of(limits(), part.allowedBy(reply) ? null : reason(),
                    Instant.EPOCH.plus(micros(), ChronoUnit.MICROS));
            calculated = known;
        }
        return known;
    }

    List<LimitState> calculateStates() {
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

    private DenialReason reason() {
        return LimitUsage.determining(limits()).retryAfter().isZero() ? DenialReason.COST_ABOVE_CAPACITY
                : part.blockedFor(reply).isZero() ? DenialReason.LIMIT_REACHED : part.policy().reasonOfBlock();
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
        /** Changes the states of the limits; {@code null} to calculate them with the permits that have come back since. */
        private final UnaryOperator<LimitState> change;

        private LaterDetails(ReplyDetails decided, long age, UnaryOperator<LimitState> change) {
            super(decided.part, decided.reply, decided.charged);
            this.age = age;
            this.change = change;
        }

        /** The same decision with its limits this many microseconds later. One by permits acquired ahead stays as it is. */
        static Decision after(Decision decision, long micros) {
            if (!decision.allowed() || !(decision.calculation() instanceof ReplyDetails decided)
                    || decision.source() == Source.PREFETCHED) {
                return decision;
            }
            long age = decided instanceof LaterDetails later ? later.age + micros : micros;
            return decision.with(decision.source(), decision.granted(), new LaterDetails(decided, age, null));
        }

        /**
         * The same decision by permits that were acquired ahead, this many microseconds ago. The store does not know which of
         * them were handed out since, so none that came back are added.
         */
        static Decision ofPermitsAhead(Decision decision, long micros) {
            return decision.with(Source.PREFETCHED, decision.granted(),
                    later(decision, micros, state -> LimitUsage.unrefilled(state, micros)));
        }

        /** The denial of an equal call this many microseconds later, when no permit has come back yet. */
        static Decision repeated(Decision denial, long micros) {
            return denial.with(Source.DENIAL_CACHE, 0,
                    later(denial, micros, state -> LimitUsage.later(state, micros, state.remaining())));
        }

        private static LaterDetails later(Decision decision, long micros, UnaryOperator<LimitState> change) {
            return new LaterDetails((ReplyDetails) decision.calculation(), micros, change);
        }

        @Override
        long micros() {
            return reply.time() + age;
        }

        @Override
        List<LimitState> calculateStates() {
            List<LimitState> decided = super.calculateStates();
            if (change == null) {
                return decided;
            }
            List<LimitState> changed = new ArrayList<>(decided);
            changed.replaceAll(change);
            return List.copyOf(changed);
        }

        @Override
        LimitState state(int limit) {
            return change != null ? super.state(limit)
                    : reply.usage(part.first() + limit).stateAfter(age, part.charge().names.get(limit),
                            part.charge().ofLimits.get(limit), reply.time(), charged);
        }
    }
}
