package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Holds the decision of one policy. {@link RateLimitDecision} describes the other components.
 *
 * @param applied the policy with the limits in force; its states have divided limits where the instance counted for itself
 * @param reason {@code null} when the call was allowed
 * @param id of the call; identifies what it acquired among other calls of the same key
 * @param projection computes the later states of its limits; {@code null} where nothing was counted now
 */
public record Decision(Policy applied, String limit, String key, boolean allowed, long permits, long remaining, long granted,
        Duration delay, Duration retryAfter, Duration resetAfter, Source source, List<LimitState> limits, DenialReason reason,
        Instant decidedAt, long id, Projection projection) implements RateLimitDecision {

    public Decision {
        limits = List.copyOf(limits);
    }

    @Override
    public String policy() {
        return applied.name();
    }

    @Override
    public Optional<DenialReason> denialReason() {
        return Optional.ofNullable(reason);
    }

    /** The limit that determines the result; {@code null} when no limit was counted. */
    LimitState determining() {
        return limits.size() == 1 ? limits.get(0) : DeterminingLimit.of(limits);
    }

    /** Whether the call was denied only because Redis is unavailable. */
    boolean unavailable() {
        return reason == DenialReason.REDIS_UNAVAILABLE;
    }

    /** The same decision with another number of granted permits. */
    public Decision withGranted(long granted) {
        return new Decision(applied, limit, key, allowed, permits, remaining, granted, delay, retryAfter, resetAfter, source,
                limits, reason, decidedAt, id, projection);
    }

    /**
     * The same decision with the limits that only an earlier one has counted: a route charges all limits of a policy, then
     * the endpoint charges only what is left of the cost.
     */
    Decision withLimitsOf(Decision earlier) {
        List<LimitState> all = new ArrayList<>(limits);
        for (LimitState early : earlier.limits) {
            if (limits.stream().noneMatch(own -> own.limit().equals(early.limit()))) {
                all.add(early);
            }
        }
        if (limits.isEmpty() || all.size() == limits.size()) {
            return this;
        }
        all.sort(Comparator.comparing(LimitState::limit));
        return new Decision(earlier.applied, limit, key, allowed, permits, remaining, granted, delay, retryAfter, resetAfter,
                source, all, reason, decidedAt, id, null);
    }

    /**
     * The same decision with the states of its limits as they are now, if no other call was counted since.
     *
     * @param nanoTime now, by {@link System#nanoTime}
     */
    Decision at(long nanoTime) {
        return !isOutdated(nanoTime) ? this
                : new Decision(applied, limit, key, allowed, permits, remaining, granted, delay, retryAfter, resetAfter, source,
                        projection.at(nanoTime), reason, decidedAt.plusNanos(nanoTime - projection.nanoTime()), id, projection);
    }

    boolean isOutdated(long nanoTime) {
        return allowed && projection != null && source != Source.PREFETCHED && projection.isOutdated(nanoTime);
    }

    /** The decision as Redis made it: for permits that were acquired ahead, at the time when they were acquired. */
    public Decision asCharged() {
        if (source != Source.PREFETCHED || projection == null) {
            return this;
        }
        List<LimitState> then = projection.after(0);
        Duration reset = then.stream().map(LimitState::resetAfter).max(Duration::compareTo).orElse(resetAfter);
        return new Decision(applied, limit, key, allowed, permits, remaining, granted, delay, retryAfter, reset, Source.REDIS,
                then, reason, projection.time(), id, projection);
    }

    /** The same decision, but allowed, as a policy in shadow mode allows every call. */
    public Decision inShadow() {
        return new Decision(applied, limit, key, true, permits, remaining, granted, Duration.ZERO, Duration.ZERO, resetAfter,
                source, limits, null, decidedAt, id, projection);
    }

    /** Without the configuration of the policy, as applications may log decisions. */
    @Override
    public String toString() {
        return "RateLimitDecision[policy=" + policy() + ", limit=" + limit + ", key=" + key + ", allowed=" + allowed
                + ", granted=" + granted + ", remaining=" + remaining + ", delay=" + delay + ", retryAfter=" + retryAfter
                + ", source=" + source + ", reason=" + reason + ']';
    }

    /** Takes less time than the hash of all components. */
    @Override
    public int hashCode() {
        return Long.hashCode(id) * 31 + key.hashCode();
    }
}
