package io.quarkiverse.ratelimit.runtime.algorithm;

/** Removes a key. */
public record ResetOperation() implements Operation {

    private static final byte[] NONE = {};

    @Override
    public ScriptFile function() {
        return ScriptFile.RESET;
    }

    @Override
    public byte[] arguments(long now) {
        return NONE;
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost) {
        return OperationResult.allowed(() -> null, now);
    }
}
