package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What one policy decided for one call. Durations are exact to the microsecond, and zero when there is nothing to wait for.
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
        /** There are not enough permits now. */
        LIMIT_REACHED,
        /** The cost is higher than the capacity: the call can never be allowed. */
        COST_ABOVE_CAPACITY,
        /** A part of the key is missing, and {@code missing-key} is {@code deny}. */
        MISSING_KEY,
        /** The key is blocked, by the policy's {@code penalty} or by {@link RateLimiter#block}. */
        BLOCKED,
        /**
         * The service that the call is for has answered an earlier call with {@code Retry-After}, and {@code obey-retry-after}
         * pauses the key until then.
         */
        PAUSED,
        /** Redis is unavailable, and {@code on-redis-failure} is {@code deny}. */
        REDIS_UNAVAILABLE
    }

    /** The policy's name. */
    String policy();

    /**
     * The name of the limit that determines the result: the denying limit with the longest wait; otherwise the one with the
     * fewest permits left, then the first by name.
     */
    String limit();

    /**
     * The caller's key in its stored form: kinds and values, or digests where a value may be a secret. Empty for
     * {@code key=global}, and if the denial reason is {@link DenialReason#MISSING_KEY}.
     */
    String key();

    /** Whether the policy allows the call. */
    boolean allowed();

    /** The capacity of {@link #limit()}. */
    long permits();

    /**
     * The smallest number of permits left over all limits. For {@link Source#PREFETCHED}: what Redis has reported last, less
     * what this instance has handed out since. When nothing was counted, it is the capacity for {@link Source#NOT_LIMITED},
     * otherwise 0.
     */
    long remaining();

    /** The permits that this call acquired; 0 when it was denied. */
    long granted();

    /** How long {@code max-wait} delays the call before it may proceed. */
    Duration delay();

    /**
     * The shortest wait after which the same call is allowed if nobody else calls; zero when it was allowed, and when it can
     * never be allowed.
     */
    Duration retryAfter();

    /** {@link #retryAfter()} in whole seconds, rounded up; at least 1 when the call was denied, otherwise 0. */
    default long retryAfterSeconds() {
        return allowed() ? 0 : Math.max(1, retryAfter().plusNanos(999_999_999).toSeconds());
    }

    /** How long until all permits of every limit are available again; zero when they are. */
    Duration resetAfter();

    /** The state of every limit; empty when nothing was counted. */
    List<LimitState> limits();

    /** Where the call was decided. */
    Source source();

    /** Why the call was denied; empty when it was allowed. */
    Optional<DenialReason> denialReason();

    /** When it was decided, by the clock of {@link #source()}; {@link Instant#EPOCH} when nothing was counted. */
    Instant decidedAt();

    /** Whether the call was denied and waiting does not help. */
    default boolean neverAllowed() {
        return !allowed() && retryAfter().isZero();
    }
}
