package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.Set;

/** Removes a key. */
public record ResetOperation() implements Operation {

    private static final byte[] NONE = {};
    private static final Set<ScriptFile> FILES = ScriptFile.set(ScriptFile.RESET);

    @Override
    public ScriptFile function() {
        return ScriptFile.RESET;
    }

    @Override
    public Set<ScriptFile> files() {
        return FILES;
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
