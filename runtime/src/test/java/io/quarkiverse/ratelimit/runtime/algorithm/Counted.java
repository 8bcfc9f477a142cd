package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply.UsageReply;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** One key, counted by the arithmetic in Java, with its time in the test's hands. */
public final class Counted {

    /** Microseconds since the epoch. */
    public long now = 1_763_596_800_000_000L;
    public Object stored;

    public LimitState decide(Limit limit, OperationKind kind, long cost) {
        return decide(limit, new PermitRequest(cost, kind, 0));
    }

    public LimitState decide(Limit limit, PermitRequest requested) {
        LimitRule rule = PolicyLimit.ruleOf(limit);
        OperationResult result = rule.acquire(requested).decide(stored, now, 0, List.of());
        write(result);
        UsageReply reply = (UsageReply) result.reply();
        return reply.state("l", requested, now, reply.granted() > 0 && requested.kind() != OperationKind.PEEK);
    }

    public LimitState acquire(Limit limit, long cost) {
        return decide(limit, OperationKind.ACQUIRE, cost);
    }

    public LimitState peek(Limit limit) {
        return decide(limit, OperationKind.PEEK, 1);
    }

    /** Refunds what was acquired at this time. */
    public void refund(Limit limit, LimitState acquired, long at, long cost) {
        write(PolicyLimit.ruleOf(limit).refund(acquired, at, cost, 0).decide(stored, now, 0, List.of()));
    }

    public void pass(Duration time) {
        now += time.toNanos() / 1_000;
    }

    private void write(OperationResult result) {
        if (result.stored() != null) {
            stored = result.stored().get();
        }
    }
}
