package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What one policy decided for one call, or a policy and its {@code overflow}. Of these, it is the decision of the policy that
 * is
 * charged. If all deny the call, it is that of the shortest wait. Durations are exact to the microsecond, and zero when there
 * is nothing to wait for.
 * Later versions may add methods, with a default.
 */
public interface RateLimitDecision {

    /** Where the call was decided. */
    enum Source {
        /** Redis, for all instances together. Also if a part of the key is missing and {@code missing-key} is {@code deny}. */
        REDIS,
        /** This instance, because Redis denied the same key a moment ago. */
        DENIAL_CACHE,
        /** This instance, with a permit that it had acquired ahead from Redis, as {@code prefetch} allows. */
        PREFETCHED,
        /** This instance in its memory, because {@code quarkus.rate-limit.store} is {@code memory}. */
        MEMORY,
        /** This instance by {@code on-redis-failure}, because Redis was unavailable. */
        FALLBACK,
        /** Nowhere: the policy is disabled, or does not limit this caller (exempt, or an unlimited plan). */
        NOT_LIMITED
    }

    /** Why a call was denied. */
    enum DenialReason {
        /** Not enough permits now. */
        LIMIT_REACHED,
        /** Cost above the capacity: the call can never be allowed. */
        COST_ABOVE_CAPACITY,
        /** Missing part of the key, with {@code missing-key=deny}. */
        MISSING_KEY,
        /** Blocked key, by the policy's {@code penalty} or by {@link RateLimiter#block}. */
        BLOCKED,
        /**
         * Paused key: the called service has responded to an earlier call with an error and {@code Retry-After}, which
         * {@code obey-retry-after} obeys, or code has called {@link RateLimiter#pause}.
         */
        PAUSED,
        /** Redis unavailable, with {@code on-redis-failure=deny}. */
        REDIS_UNAVAILABLE
    }

    /** Returns the policy's name. */
    String policy();

    /**
     * Returns the name of the limit that determines the result: the denying limit with the longest wait; otherwise the one
     * with the fewest permits left, then the first by name.
     */
    String limit();

    /**
     * Returns the caller's key in its stored form: kinds and values, or digests where a value may be a secret. Empty for
     * {@code key=global}, and if the denial reason is {@link DenialReason#MISSING_KEY}.
     */
    String key();

    /** Returns whether the policy allows the call. */
    boolean allowed();

    /** Returns the capacity of {@link #limit()}. */
    long permits();

    /**
     * Returns the smallest number of permits left over all limits. For {@link Source#PREFETCHED}, it is the number that
     * Redis has reported last, less the permits that this instance has handed out since. If nothing was counted, it is the
     * capacity for {@link Source#NOT_LIMITED}, otherwise 0.
     */
    long remaining();

    /** Returns the permits that this call acquired; 0 when it was denied. */
    long granted();

    /** Returns how long {@code max-wait} delays the call before it may proceed. */
    Duration delay();

    /**
     * Returns the shortest wait after which the same call is allowed if nobody else calls; zero when it was allowed, and
     * when it can never be allowed.
     */
    Duration retryAfter();

    /** {@link #retryAfter()} in whole seconds, rounded up; at least 1 when the call was denied, otherwise 0. */
    default long retryAfterSeconds() {
        return allowed() ? 0 : Math.max(1, retryAfter().plusNanos(999_999_999).toSeconds());
    }

    /** Returns how long until all permits of every limit are available again; zero when they are. */
    Duration resetAfter();

    /**
     * Returns the state of every limit that was asked, also those of other policies before an {@code overflow} or after it;
     * empty when nothing was counted.
     */
    List<LimitState> limits();

    /** Returns where the call was decided. */
    Source source();

    /** Returns why the call was denied; empty when it was allowed. */
    Optional<DenialReason> denialReason();

    /** Returns when the call was decided, by the clock of {@link #source()}; {@link Instant#EPOCH} when nothing was counted. */
    Instant decidedAt();

    /** Returns whether the call was denied and waiting does not help. */
    default boolean neverAllowed() {
        return !allowed() && retryAfter().isZero();
    }
}
