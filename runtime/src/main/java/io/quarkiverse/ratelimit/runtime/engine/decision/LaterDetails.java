package io.quarkiverse.ratelimit.runtime.engine.decision;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;

/** The details of a decision some time after the store made it, as if no other call was counted since. */
final class LaterDetails extends ReplyDetails {

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
     * The same decision by permits that were acquired ahead, this many microseconds ago. The store does not know which of them
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
