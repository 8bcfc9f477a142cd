package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.List;

/** Acquires permits from a limit, or peeks, as the rule of the limit decides. */
public class AcquireOperation implements Operation {

    private final LimitRule rule;
    private final PermitRequest requested;
    private final ScriptFile function;
    private final long files;
    private final byte[] arguments;
    private final boolean mergeable;

    public AcquireOperation(LimitRule rule, PermitRequest requested, ScriptFile function, byte[] arguments) {
        this(rule, requested, function, arguments, 0);
    }

    /** @param more files that the function needs for this call only, one {@link ScriptFile#bit} each */
    public AcquireOperation(LimitRule rule, PermitRequest requested, ScriptFile function, byte[] arguments, long more) {
        this.rule = rule;
        this.requested = requested;
        this.function = function;
        this.arguments = arguments;
        this.mergeable = requested.kind() == OperationKind.ACQUIRE && !rule.holdsPermits() && rule.limit().maxWait().isZero();
        this.files = function.files() | more | (requested.kind() == OperationKind.PREFETCH ? ScriptFile.PREFETCH.bit() : 0);
    }

    @Override
    public final ScriptFile function() {
        return function;
    }

    @Override
    public final long files() {
        return files;
    }

    @Override
    public byte[] arguments(long now) {
        return arguments;
    }

    /** Calls that hold permits of their own, or that are delayed for different times, are not merged. */
    @Override
    public final boolean isMergeable() {
        return mergeable;
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
    public final LimitReply reply(long granted, long first, long second, long third, long fourth) {
        return rule.reply(granted, first, second, third, fourth);
    }

    @Override
    public final OperationResult decide(Object stored, long now, long cost, List<LimitReply> before) {
        OperationResult result = rule.decide(requested, cost > 0 ? cost : requested.cost(), stored, now);
        return requested.kind() == OperationKind.PEEK ? new OperationResult(result.reply(), null, 0) : result;
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
