package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Counts by a sliding log. The scripts of {@code sliding_log} explain the algorithm and implement the same. */
record SlidingLog(Limit limit, long permits, long period) implements LimitRule {

    SlidingLog(Limit limit) {
        this(limit, limit.permits(), limit.period().toNanos() / 1000);
    }

    @Override
    public long fillTime(long now) {
        return period;
    }

    @Override
    public Operation acquire(PermitRequest requested) {
        return new SlidingLogAcquire(this, requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        return new SlidingLogRefund(cost, at);
    }
}
