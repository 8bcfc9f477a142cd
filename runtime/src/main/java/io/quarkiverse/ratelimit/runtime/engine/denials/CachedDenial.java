package io.quarkiverse.ratelimit.runtime.engine.denials;

import static java.time.temporal.ChronoUnit.MICROS;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.ReplyDetails;

/**
 * Holds an entry of the {@link DenialCache}: a denial of Redis, and how long it lasts.
 *
 * @param received when the reply arrived, by {@link System#nanoTime}
 * @param until when Redis must decide again; counted from when the request was sent
 * @param clockOffset by how many microseconds tests had moved the limiter's clock
 */
record CachedDenial(KeyOfPolicy key, Decision decision, long cost, long received, long until, long clockOffset) {

    static final Comparator<CachedDenial> BY_END = (one, other) -> Long.signum(one.until - other.until);

    /** Nanoseconds until any part of the denial changes; 0 if another call may change it before. */
    static long lifetime(Decision denial) {
        if (denial.reason() != DenialReason.BLOCKED && !denial.appliedPolicy().denialsLast()) {
            return 0;
        }
        Duration lifetime = denial.appliedPolicy().denialCache();
        for (LimitState limit : denial.limits()) {
            lifetime = shorter(lifetime, limit.retryAfter());
            lifetime = shorter(lifetime, limit.nextPermitAfter());
        }
        return lifetime.toNanos();
    }

    private static Duration shorter(Duration lifetime, Duration time) {
        return time.isZero() || lifetime.compareTo(time) < 0 ? lifetime : time;
    }

    /** The denial as Redis would reply to this call now; {@code null} if Redis must decide. */
    Outcome repeated(PolicyPart part, long now, long currentOffset) {
        boolean applies = decision.appliedPolicy().equals(part.policy()) && cost == part.charge().requested.cost()
                && clockOffset == currentOffset && now - until < 0;
        return applies
                ? new Outcome(List.of(new Decision(decision.appliedPolicy(), decision.key(), false, 0, Source.DENIAL_CACHE, 0,
                        new Repetition(decision, now - received))))
                : null;
    }

    /** The details of a denial some nanoseconds later. */
    private static final class Repetition extends Decision.OnFirstUse {

        private final Decision denial;
        private final long nanos;

        Repetition(Decision denial, long nanos) {
            this.denial = denial;
            this.nanos = nanos;
        }

        @Override
        public DenialReason reason() {
            return denial.reason();
        }

        @Override
        public ReplyDetails reply() {
            return denial.calculation().reply();
        }

        @Override
        protected Details calculate() {
            return after(denial, Duration.ofNanos(nanos).truncatedTo(MICROS));
        }
    }

    private static Details after(Decision d, Duration time) {
        List<LimitState> limits = new ArrayList<>(d.limits().size());
        for (LimitState l : d.limits()) {
            limits.add(new LimitUsage(l.limit(), l.definition(), l.allowed(), l.permits(), l.remaining(), l.delay(),
                    less(l.retryAfter(), time), less(l.nextPermitAfter(), time), less(l.resetAfter(), time)));
        }
        return new Details(d.limit(), d.permits(), d.remaining(), d.delay(), less(d.retryAfter(), time),
                less(d.resetAfter(), time), List.copyOf(limits), d.reason(), d.decidedAt().plus(time));
    }

    /** Zero stays zero. */
    private static Duration less(Duration duration, Duration time) {
        return duration.isZero() ? duration : duration.minus(time);
    }

    /** Compares by identity, as different denials may have the same numbers. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
