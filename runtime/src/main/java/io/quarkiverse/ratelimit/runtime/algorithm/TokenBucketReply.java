package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;

import io.quarkiverse.ratelimit.LimitState;

/**
 * The reply of a token bucket.
 *
 * @param level what was in use, in the unit of {@link TokenBucketState}; {@code rest} belongs to it
 * @param nextRefill microseconds until the next refill where permits come back together, otherwise 0
 */
record TokenBucketReply(TokenBucket bucket, long granted, long level, long rest, long nextRefill) implements UsageReply {

    @Override
    public LimitState state(String name, Call call, long now, boolean charged) {
        boolean allowed = granted > 0;
        long level = Math.min(this.level + (charged ? bucket.level(granted) : 0), bucket.most());
        long rest = this.rest + (charged ? bucket.levelRest(granted) : 0);
        boolean waits = charged && call.kind() == OperationKind.ACQUIRE;
        long deniedCost = allowed || call.least() > bucket.burst() ? 0 : call.least();
        long longestWait = bucket.longestWait(call);
        return bucket.interval() ? together(name, waits, level, deniedCost, longestWait)
                : evenly(name, waits, level + rest / bucket.permits(), rest % bucket.permits(), deniedCost, longestWait);
    }

    private LimitState evenly(String name, boolean waits, long level, long rest, long deniedCost, long longestWait) {
        long remaining = bucket.available(level, rest);
        return new LimitUsage(name, bucket.limit(), granted > 0, bucket.burst(), remaining,
                waits ? bucket.until(0, level, rest) : Duration.ZERO,
                deniedCost == 0 ? Duration.ZERO : bucket.until(deniedCost, level - longestWait, rest),
                remaining == bucket.burst() ? Duration.ZERO : bucket.until(remaining + 1, level, rest),
                micros(rest > 0 ? level + 1 : level));
    }

    private LimitState together(String name, boolean waits, long used, long deniedCost, long longestWait) {
        long remaining = bucket.available(used, 0), burst = bucket.burst();
        return new LimitUsage(name, bucket.limit(), granted > 0, burst, remaining,
                waits && used > burst ? untilReturned(used - burst) : Duration.ZERO,
                deniedCost == 0 ? Duration.ZERO : untilReturned(used + deniedCost - burst).minus(micros(longestWait)),
                remaining == burst ? Duration.ZERO : untilReturned(used + remaining + 1 - burst),
                used == 0 ? Duration.ZERO : untilReturned(used));
    }

    private Duration untilReturned(long count) {
        return micros(nextRefill + (bucket.refills(count) - 1) * bucket.period());
    }

    @Override
    public LimitState refilledAfter(long micros, String name, Call call, long now, boolean charged) {
        TokenBucketReply later;
        if (bucket.interval()) {
            long refills = micros < nextRefill ? 0 : 1 + (micros - nextRefill) / bucket.period();
            later = new TokenBucketReply(bucket, granted, level - refills * bucket.permits(), rest,
                    nextRefill + refills * bucket.period() - micros);
        } else {
            later = new TokenBucketReply(bucket, granted, level - micros, rest, nextRefill);
        }
        return later.state(name, call, now + micros, charged);
    }

    @Override
    public UsageReply first(long cost, long now) {
        return new TokenBucketReply(bucket, bucket.available(level, rest) < cost ? 0 : cost, level, rest, nextRefill);
    }

    @Override
    public UsageReply others(long cost) {
        long sum = rest + bucket.levelRest(cost);
        return new TokenBucketReply(bucket, granted, level + bucket.level(cost) + sum / bucket.permits(),
                sum % bucket.permits(), nextRefill);
    }
}
