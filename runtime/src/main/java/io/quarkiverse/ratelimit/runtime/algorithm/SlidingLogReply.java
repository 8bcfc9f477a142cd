package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;

import io.quarkiverse.ratelimit.LimitState;

/**
 * The reply of a sliding log.
 *
 * @param used permits that count
 * @param retry microseconds until the cost fits; of a charge, until one more permit comes back
 * @param grows microseconds until one more permit comes back
 * @param full microseconds until no permit counts
 */
record SlidingLogReply(SlidingLog log, long granted, long used, long retry, long grows, long full) implements UsageReply {

    @Override
    public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
        boolean allowed = granted > 0, charges = allowed && charged;
        long next = !charges ? grows : requested.kind() == OperationKind.CHARGE ? retry : used > 0 ? grows : log.period();
        long remaining = Math.max(0, log.permits() - used - (charges ? granted : 0));
        return new LimitUsage(name, log.limit(), allowed, log.permits(), remaining, Duration.ZERO,
                micros(allowed ? 0 : retry), micros(remaining == log.permits() ? 0 : next),
                micros(charges ? log.period() : full));
    }

    /** The reply does not contain how many entries have expired: at least one. */
    @Override
    public LimitState refilledAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
        LimitState before = state(name, requested, now, charged);
        LimitUsage later = LimitUsage.later(before, micros, before.remaining() + 1);
        return new LimitUsage(name, log.limit(), later.allowed(), later.permits(), later.remaining(), later.delay(),
                later.retryAfter(), later.resetAfter(), later.resetAfter());
    }

    /** {@code retry} is how long until one more call fits. It does not apply to calls that are allowed. */
    @Override
    public UsageReply forFirst(long cost, long now) {
        boolean fits = log.permits() - used >= cost;
        return new SlidingLogReply(log, fits ? cost : 0, used, fits ? 0 : retry, grows, full);
    }

    @Override
    public UsageReply afterCharge(long cost) {
        return new SlidingLogReply(log, granted, used + cost, retry, used == 0 ? log.period() : grows, log.period());
    }
}
