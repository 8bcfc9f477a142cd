package io.quarkiverse.ratelimit.runtime.algorithm;

/** Acquires permits that come back by themselves. It does not matter which call acquired which permit. */
public abstract class AcquireOperation implements Operation, Operation.Mergeable {

    protected final PermitRequest requested;
    private final LimitRule rule;

    /** @param rule the rule that counts the permits */
    protected AcquireOperation(LimitRule rule, PermitRequest requested) {
        this.rule = rule;
        this.requested = requested;
    }

    @Override
    public Mergeable merging() {
        return requested.kind() == OperationKind.ACQUIRE ? this : null;
    }

    @Override
    public final long cost() {
        return requested.cost();
    }

    @Override
    public final Operation times(int calls) {
        return rule.acquire(requested.times(calls));
    }

    @Override
    public final boolean equals(Object other) {
        return this == other
                || other instanceof AcquireOperation acquire && requested.equals(acquire.requested)
                        && rule.equals(acquire.rule);
    }

    @Override
    public final int hashCode() {
        return Long.hashCode(requested.cost());
    }
}
