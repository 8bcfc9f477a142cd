package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Holds the decision of one policy.
 *
 * @param applied the policy with the limits in force; its states have divided limits where the instance counted for itself
 * @param id of the call; identifies what it acquired among other calls of the same key
 * @param calculation calculates the details when something first asks for them, as most calls only need to know whether they
 *        are allowed
 */
public record Decision(Policy applied, String key, boolean allowed, long granted, Source source, long id,
        Supplier<Details> calculation) implements RateLimitDecision {

    /**
     * The details of a decision; {@link RateLimitDecision} describes them.
     *
     * @param reason {@code null} when the call was allowed
     */
    public record Details(String limit, long permits, long remaining, Duration delay, Duration retryAfter, Duration resetAfter,
            List<LimitState> limits, DenialReason reason, Instant decidedAt) {

        public Details {
            limits = List.copyOf(limits);
        }
    }

    /** A decision whose details are known. */
    public Decision(Policy applied, String key, boolean allowed, long granted, Source source, long id, Details details) {
        this(applied, key, allowed, granted, source, id, () -> details);
    }

    /** A decision by the reply of a store. */
    Decision(Projection projection, long id) {
        this(projection.policy(), projection.caller(), projection.allowed(), projection.granted(), projection.source(), id,
                projection);
    }

    @Override
    public String policy() {
        return applied.name();
    }

    @Override
    public String limit() {
        return calculation.get().limit;
    }

    @Override
    public long permits() {
        return calculation.get().permits;
    }

    @Override
    public long remaining() {
        return calculation.get().remaining;
    }

    @Override
    public Duration delay() {
        return calculation.get().delay;
    }

    @Override
    public Duration retryAfter() {
        return calculation.get().retryAfter;
    }

    @Override
    public Duration resetAfter() {
        return calculation.get().resetAfter;
    }

    @Override
    public List<LimitState> limits() {
        return calculation.get().limits;
    }

    @Override
    public Optional<DenialReason> denialReason() {
        return Optional.ofNullable(reason());
    }

    /** {@code null} when the call was allowed. */
    DenialReason reason() {
        return allowed ? null : calculation.get().reason;
    }

    @Override
    public Instant decidedAt() {
        return calculation.get().decidedAt;
    }

    /** Whether the call was denied only because Redis is unavailable. */
    boolean unavailable() {
        return reason() == DenialReason.REDIS_UNAVAILABLE;
    }

    /** When the block of the key ends, in microseconds by the clock that decided; 0 if the store has just reported no block. */
    long blockEnd() {
        return calculation instanceof Projection projection ? projection.blockEnd() : 0;
    }

    /** The limit that determines the result; {@code null} when no limit was counted. */
    LimitState determining() {
        return DeterminingLimit.of(limits());
    }

    /** The same decision with another number of granted permits. */
    public Decision withGranted(long granted) {
        return new Decision(applied, key, allowed, granted, source, id, calculation);
    }

    /** The same decision, but allowed, as a policy in shadow mode allows every call. */
    public Decision inShadow() {
        Details own = calculation.get();
        return new Decision(applied, key, true, granted, source, id, new Details(own.limit, own.permits, own.remaining,
                Duration.ZERO, Duration.ZERO, own.resetAfter, own.limits, null, own.decidedAt));
    }

    /**
     * The same decision with the limits that only an earlier one has counted: a route charges all limits of a policy, then
     * the endpoint charges only what is left of the cost.
     */
    Decision withLimitsOf(Decision earlier) {
        List<LimitState> all = new ArrayList<>(limits());
        for (LimitState early : earlier.limits()) {
            if (limits().stream().noneMatch(own -> own.limit().equals(early.limit()))) {
                all.add(early);
            }
        }
        if (limits().isEmpty() || all.size() == limits().size()) {
            return this;
        }
        all.sort(Comparator.comparing(LimitState::limit));
        return new Decision(earlier.applied, key, allowed, granted, source, id, new Details(limit(), permits(), remaining(),
                delay(), retryAfter(), resetAfter(), all, reason(), decidedAt()));
    }

    /**
     * The same decision with its limits as they are now, if no other call was counted since.
     *
     * @param nanoTime now, by {@link System#nanoTime}
     */
    Decision at(long nanoTime) {
        return isOutdated(nanoTime) ? new Decision(((Projection) calculation).at(nanoTime), id) : this;
    }

    boolean isOutdated(long nanoTime) {
        return allowed && calculation instanceof Projection projection && projection.isOutdated(nanoTime);
    }

    /** The decision as Redis made it: for permits that were acquired ahead, at the time when they were acquired. */
    public Decision asCharged() {
        return source == Source.PREFETCHED && calculation instanceof Projection projection
                ? new Decision(projection.asCharged(), id)
                : this;
    }

    /** Whether both are decisions for the same call: they acquired the same permits. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Decision decision && id == decision.id && granted == decision.granted
                && key.equals(decision.key) && policy().equals(decision.policy());
    }

    @Override
    public int hashCode() {
        return Long.hashCode(id) * 31 + key.hashCode();
    }

    /** Without the configuration of the policy, as applications may log decisions. */
    @Override
    public String toString() {
        return "RateLimitDecision[policy=" + policy() + ", limit=" + limit() + ", key=" + key + ", allowed=" + allowed
                + ", granted=" + granted + ", remaining=" + remaining() + ", delay=" + delay() + ", retryAfter="
                + retryAfter() + ", source=" + source + ", reason=" + reason() + ']';
    }
}
