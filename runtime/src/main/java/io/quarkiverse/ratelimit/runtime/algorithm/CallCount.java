package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Charges each call 1 permit, whatever its cost. */
record CallCount(LimitRule rule) implements LimitRule {

    @Override
    public Limit limit() {
        return rule.limit();
    }

    @Override
    public long fillTime(long now) {
        return rule.fillTime(now);
    }

    @Override
    public Operation take(Call call) {
        return rule.take(one(call));
    }

    @Override
    public Operation refund(LimitState taken, long at, long cost, long id) {
        return rule.refund(taken, at, 1, id);
    }

    @Override
    public LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged) {
        return rule.state(name, reply, at, now, one(call), charged);
    }

    private static Call one(Call call) {
        return call.cost() == 1 ? call : new Call(1, 1, call.manner(), call.id(), call.refundable());
    }
}
