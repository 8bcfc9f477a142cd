package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/**
 * Holds the decision of one policy.
 *
 * @param appliedPolicy the policy with the limits in force; the states of the decision have divided limits where the instance
 *        counted for itself
 * @param id of the call; identifies what it acquired among other calls of the same key
 */
public record Decision(Policy appliedPolicy, String key, boolean allowed, long granted, Source source, long id,
        Calculation calculation) implements RateLimitDecision {

    /** Provides the details of a decision. Most calls only need to know whether they are allowed. */
    public interface Calculation {

        Details details();

        default List<LimitState> limits() {
            return details().limits;
        }

        default DenialReason reason() {
            return details().reason;
        }
    }

    public record Details(String limit, long permits, long remaining, Duration delay, Duration retryAfter, Duration resetAfter,
            List<LimitState> limits, DenialReason reason, Instant decidedAt) implements Calculation {

        /** The details that the states of all limits determine. */
        public static Details of(List<LimitState> limits, DenialReason reason, Instant decidedAt) {
            LimitState determining = LimitUsage.determining(limits);
            long remaining = Long.MAX_VALUE;
            Duration delay = Duration.ZERO;
            Duration reset = Duration.ZERO;
            for (LimitState state : limits) {
                remaining = Math.min(remaining, state.remaining());
                delay = LimitUsage.longer(state.delay(), delay);
                reset = LimitUsage.longer(state.resetAfter(), reset);
            }
            return new Details(determining.limit(), determining.permits(), remaining, delay, determining.retryAfter(), reset,
                    limits, reason, decidedAt);
        }

        @Override
        public Details details() {
            return this;
        }
    }

    /**
     * The decision of a store about one policy of a call.
     *
     * @param callAllowed whether all policies that can deny the call allow it
     */
    static Decision of(KeyedCharge keyed, StoreReply reply, boolean callAllowed, Source source, long id) {
        boolean allowed = keyed.allowedBy(reply);
        // a shadow policy that would deny the call is not charged
        long granted = callAllowed && allowed ? keyed.granted(reply) : 0;
        return new Decision(keyed.policy(), keyed.key(), allowed, granted, source, id,
                new ReplyDetails(keyed, reply, granted > 0, source, 0));
    }

    /**
     * The decision about a call that nothing counts: no limit applies to it, a part of its key is missing, or Redis is
     * unavailable.
     *
     * @param reason {@code null} if it is allowed
     */
    public static Decision uncounted(Policy policy, String key, long granted, Source source, DenialReason reason) {
        PolicyLimit first = policy.limits().get(0);
        long remaining = source == Source.NOT_LIMITED ? first.limit().burst() : 0;
        Duration retryAfter = reason == DenialReason.REDIS_UNAVAILABLE ? Duration.ofSeconds(1) : Duration.ZERO;
        return new Decision(policy, key, reason == null, granted, source, 0, new Details(first.name(), first.limit().burst(),
                remaining, Duration.ZERO, retryAfter, Duration.ZERO, List.of(), reason, Instant.EPOCH));
    }

    @Override
    public String policy() {
        return appliedPolicy.name();
    }

    @Override
    public String limit() {
        return calculation.details().limit;
    }

    @Override
    public long permits() {
        return calculation.details().permits;
    }

    @Override
    public long remaining() {
        return calculation.details().remaining;
    }

    @Override
    public Duration delay() {
        return calculation.details().delay;
    }

    @Override
    public Duration retryAfter() {
        return calculation.details().retryAfter;
    }

    @Override
    public Duration resetAfter() {
        return calculation.details().resetAfter;
    }

    @Override
    public List<LimitState> limits() {
        return calculation.limits();
    }

    @Override
    public Optional<DenialReason> denialReason() {
        return Optional.ofNullable(reason());
    }

    /** {@code null} when the call was allowed. */
    public DenialReason reason() {
        return allowed ? null : calculation.reason();
    }

    @Override
    public Instant decidedAt() {
        return calculation.details().decidedAt;
    }

    public Decision withGranted(long granted) {
        return with(source, granted, calculation);
    }

    /** The same decision, but allowed, as a policy in shadow mode allows every call. */
    public Decision inShadow() {
        Details details = calculation.details();
        return new Decision(appliedPolicy, key, true, granted, source, id,
                new Details(details.limit, details.permits, details.remaining,
                        Duration.ZERO, Duration.ZERO, details.resetAfter, details.limits, null, details.decidedAt));
    }

    /** The decision at the time when the store charged it: before its delay, or when its permits were acquired ahead. */
    public Decision asCharged() {
        return by(source == Source.PREFETCHED ? Source.REDIS : source, 0);
    }

    /** The same decision for a call that is not charged in the end. */
    Decision uncharged() {
        return calculation instanceof ReplyDetails made
                ? with(source, 0, new ReplyDetails(made.keyed, made.reply, false, source, 0))
                : this;
    }

    /** The same decision with its limits this many microseconds later. One by prefetched permits stays as it is. */
    Decision later(long micros) {
        return allowed && source != Source.PREFETCHED && calculation instanceof ReplyDetails made
                ? by(source, made.age + micros)
                : this;
    }

    /**
     * The same decision by another source.
     *
     * @param age how many microseconds after the reply of the store
     */
    Decision by(Source other, long age) {
        return calculation instanceof ReplyDetails made && (other != source || age != made.age)
                ? with(other, granted, made.by(other, age))
                : this;
    }

    Decision with(Source source, long granted, Calculation calculation) {
        return new Decision(appliedPolicy, key, allowed, granted, source, id, calculation);
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
