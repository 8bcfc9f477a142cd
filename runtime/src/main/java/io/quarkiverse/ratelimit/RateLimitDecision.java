package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What one policy decided for one call. Durations are exact to the microsecond and zero when there is nothing to wait
 * for.
 *
 * @param policy the policy's name
 * @param limit the limit that speaks for the policy: of those that refuse the one with the longest wait, else the one
 *        with the fewest permits left, then the first by name
 * @param key the caller as it is stored: kinds and values, or digests where a value may be a secret; empty for one
 *        count for all
 * @param allowed whether the policy admits the call
 * @param permits the capacity of {@code limit}
 * @param remaining the smallest number of permits left over all limits
 * @param granted the permits that this call has, 0 when it was refused; they were not counted where {@code limits} is empty
 * @param delay for how long buckets hold the call back before it goes ahead
 * @param retryAfter the shortest wait after which the same call is admitted if nobody else calls
 * @param resetAfter how long until nothing counts any more and every limit is full
 * @param source who decided
 * @param limits the state of every limit; empty when nothing was counted: Redis was away, or nobody
 *        could be charged
 * @param decidedAt when it was decided, by the clock of what counted it; {@link Instant#EPOCH} when nothing was counted
 * @param id tells this decision from all others that took permits of the same key
 */
public record RateLimitDecision(String policy, String limit, String key, boolean allowed, long permits, long remaining,
        long granted, Duration delay, Duration retryAfter, Duration resetAfter, Source source,
        List<LimitState> limits, Instant decidedAt, long id) {

    /** Who decided. */
    public enum Source {
        /** Redis, for all instances together. */
        REDIS,
        /** This instance, because Redis refused the same key a moment ago. */
        DENIAL_CACHE,
        /** This instance by {@code on-redis-failure}, because Redis was away. */
        FALLBACK,
        /** Nobody: the policy is disabled, or does not limit the caller. */
        NOT_LIMITED
    }

    public RateLimitDecision {
        limits = List.copyOf(limits);
    }

    /** Whether the call was refused and no waiting helps: its cost is beyond the capacity, or nobody can be charged. */
    public boolean neverAllowed() {
        return !allowed && retryAfter.isZero();
    }

    /** {@code retryAfter} in whole seconds, rounded up; at least 1 when the call was denied, else 0. */
    public long retryAfterSeconds() {
        return allowed ? 0 : Math.max(1, retryAfter.getSeconds() + (retryAfter.getNano() > 0 ? 1 : 0));
    }
}
