package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;

/**
 * Holds the decision of one policy.
 *
 * @param reason {@code null} when the call was allowed
 * @param id of the call; identifies what it acquired among other calls of the same key
 */
public record Decision(String policy, String limit, String key, boolean allowed, long permits, long remaining, long granted,
        Duration delay, Duration retryAfter, Duration resetAfter, Source source, List<LimitState> limits, DenialReason reason,
        Instant decidedAt, long id) implements RateLimitDecision {

    public Decision {
        limits = List.copyOf(limits);
    }

    /** Converts a decision that may be an implementation of the application. */
    public static Decision of(RateLimitDecision d) {
        return d instanceof Decision decision ? decision
                : new Decision(d.policy(), d.limit(), d.key(), d.allowed(), d.permits(), d.remaining(), d.granted(), d.delay(),
                        d.retryAfter(), d.resetAfter(), d.source(), d.limits(), d.denialReason().orElse(null), d.decidedAt(),
                        0);
    }

    @Override
    public Optional<DenialReason> denialReason() {
        return Optional.ofNullable(reason);
    }

    /** The same decision with another number of granted permits. */
    public Decision withGranted(long granted) {
        return new Decision(policy, limit, key, allowed, permits, remaining, granted, delay, retryAfter, resetAfter, source,
                limits, reason, decidedAt, id);
    }

    /** The same decision, this many nanoseconds later, with the states of its limits at that time. */
    Decision later(long nanos, List<LimitState> states) {
        return new Decision(policy, limit, key, allowed, permits, remaining, granted, delay, retryAfter, resetAfter, source,
                states, reason, decidedAt.plusNanos(nanos), id);
    }

    /** The same decision, but allowed, as a policy in shadow mode allows every call. */
    public Decision inShadow() {
        return new Decision(policy, limit, key, true, permits, remaining, granted, Duration.ZERO, Duration.ZERO, resetAfter,
                source, limits, null, decidedAt, id);
    }
}
