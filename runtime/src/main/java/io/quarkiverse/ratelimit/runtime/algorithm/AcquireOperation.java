package io.quarkiverse.ratelimit.runtime.algorithm;

/** Acquires permits that come back by themselves. It does not matter which call acquired which permit. */
abstract class AcquireOperation implements Operation, Mergeable {

    final PermitRequest call;
    private final LimitRule rule;

    /** @param rule the rule that counts the permits */
    AcquireOperation(LimitRule rule, PermitRequest call) {
        this.rule = rule;
        this.call = call;
    }

    @Override
    public Mergeable merging() {
        return call.kind() == OperationKind.ACQUIRE ? this : null;
    }

    @Override
    public long cost() {
        return call.cost();
    }

    @Override
    public Operation times(int calls) {
        return rule.acquire(call.times(calls));
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof AcquireOperation acquire && call.equals(acquire.call) && rule.equals(acquire.rule);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(call.cost());
    }
}
