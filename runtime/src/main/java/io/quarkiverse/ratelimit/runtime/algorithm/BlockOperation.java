package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;
import java.util.Set;

/** Blocks a key for some time, in place of a running block and of what a penalty has counted. */
public record BlockOperation(Duration time) implements Operation {

    private static final Set<ScriptFile> FILES = ScriptFile.set(ScriptFile.PENALTY_STATE, ScriptFile.PENALTY_BLOCK);
    private static final Layout BLOCK = Layout.of(ScriptFile.PENALTY_BLOCK, "BLOCK");

    @Override
    public ScriptFile function() {
        return ScriptFile.PENALTY_BLOCK;
    }

    @Override
    public Set<ScriptFile> files() {
        return FILES;
    }

    @Override
    public byte[] arguments(long now) {
        return BLOCK.pack(micros());
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost) {
        PenaltyState blocked = PenaltyState.blocked(now, micros());
        return OperationResult.allowed(() -> blocked, blocked.ends());
    }

    private long micros() {
        return time.toNanos() / 1_000;
    }
}
