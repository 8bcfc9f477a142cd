package io.quarkiverse.ratelimit.runtime.algorithm;

/** Removes a key. */
public record ResetOperation() implements Operation {

    private static final byte[] NONE = {};

    @Override
    public String script() {
        return "algorithms";
    }

    @Override
    public String function() {
        return "forget";
    }

    @Override
    public boolean isRare() {
        return true;
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
