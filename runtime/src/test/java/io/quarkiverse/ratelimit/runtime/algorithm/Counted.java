package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** One key, counted by the arithmetic in Java, with its time in the test's hands. */
final class Counted {

    /** Microseconds since the epoch. */
    long now = 1_763_596_800_000_000L;
    Object stored;

    LimitState decide(Limit limit, OperationKind kind, long cost) {
        return decide(limit, new PermitRequest(cost, kind, 0));
    }

    LimitState decide(Limit limit, PermitRequest requested) {
        LimitRule rule = LimitRule.of(limit);
        OperationResult result = rule.acquire(requested).decide(stored, now, 0);
        write(result);
        UsageReply reply = (UsageReply) result.reply();
        return reply.state("l", requested, now, reply.granted() > 0 && requested.kind() != OperationKind.PEEK);
    }

    LimitState acquire(Limit limit, long cost) {
        return decide(limit, OperationKind.ACQUIRE, cost);
    }

    LimitState peek(Limit limit) {
        return decide(limit, OperationKind.PEEK, 1);
    }

    /** Refunds what was acquired at this time. */
    void refund(Limit limit, LimitState acquired, long at, long cost) {
        write(LimitRule.of(limit).refund(acquired, at, cost, 0).decide(stored, now, 0));
    }

    void pass(Duration time) {
        now += time.toNanos() / 1_000;
    }

    private void write(OperationResult result) {
        if (result.stored() != null) {
            stored = result.stored().get();
        }
    }
}
