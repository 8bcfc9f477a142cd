package io.quarkiverse.ratelimit.runtime.algorithm;

/** Acquires permits that come back by themselves. It does not matter which call acquired which permit. */
abstract class AcquireOperation implements Operation, Mergeable {

    final PermitRequest requested;
    private final LimitRule rule;

    /** @param rule the rule that counts the permits */
    AcquireOperation(LimitRule rule, PermitRequest requested) {
        this.rule = rule;
        this.requested = requested;
    }

    @Override
    public Mergeable merging() {
        return requested.kind() == OperationKind.ACQUIRE ? this : null;
    }

    @Override
    public long cost() {
        return requested.cost();
    }

    @Override
    public Operation times(int calls) {
        return rule.acquire(requested.times(calls));
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof AcquireOperation acquire && requested.equals(acquire.requested)
                        && rule.equals(acquire.rule);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(requested.cost());
    }
}
