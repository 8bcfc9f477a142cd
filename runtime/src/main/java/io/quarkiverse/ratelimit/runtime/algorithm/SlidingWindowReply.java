package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;

import io.quarkiverse.ratelimit.LimitState;

/**
 * The reply of a sliding window.
 *
 * @param previous the count of the previous window
 * @param count the count of the current window
 */
record SlidingWindowReply(SlidingWindow window, long granted, long previous, long count) implements UsageReply {

    @Override
    public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
        boolean allowed = granted > 0;
        long count = Math.min(this.count + (charged ? granted : 0), LimitRule.MAX_PERMITS_KEPT);
        long left = window.left(now), permits = window.permits();
        long remaining = Math.max(0, window.free(previous, count, left));
        long deniedCost = allowed || requested.least() > permits ? 0 : requested.least();
        return new LimitUsage(name, window.limit(), allowed, permits, remaining, Duration.ZERO,
                deniedCost == 0 ? Duration.ZERO : window.until(deniedCost, previous, count, left),
                remaining == permits ? Duration.ZERO : window.until(remaining + 1, previous, count, left),
                micros(count > 0 ? left + window.period() : previous > 0 ? left : 0));
    }

    @Override
    public LimitState refilledAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
        if (micros < window.left(now)) {
            return state(name, requested, now + micros, charged);
        }
        return new SlidingWindowReply(window, granted, count + (charged ? granted : 0), 0).state(name, requested, now + micros,
                false);
    }

    @Override
    public UsageReply forFirst(long cost, long now) {
        return new SlidingWindowReply(window, window.free(previous, count, window.left(now)) < cost ? 0 : cost, previous,
                count);
    }

    @Override
    public UsageReply afterCharge(long cost) {
        return new SlidingWindowReply(window, granted, previous, count + cost);
    }
}
