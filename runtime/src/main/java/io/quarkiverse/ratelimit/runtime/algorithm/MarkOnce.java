package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.util.Set;

/**
 * Allows an operation the first time and denies its repetitions. A repetition comes from an instance that lost the reply, or
 * from another instance. The store in memory loses no replies, so it remembers nothing.
 *
 * @param id unique id of the operation among those with the same key
 * @param lasts how long the id is remembered
 */
public record MarkOnce(String id, Duration lasts) implements Operation {

    private static final Set<ScriptFile> FILES = ScriptFile.set(ScriptFile.MARK_ONCE);

    @Override
    public ScriptFile function() {
        return ScriptFile.MARK_ONCE;
    }

    @Override
    public Set<ScriptFile> files() {
        return FILES;
    }

    @Override
    public byte[] arguments(long now) {
        return (lasts.toNanos() / 1000 + " " + id).getBytes(US_ASCII);
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost) {
        return OperationResult.allowed(null, 0);
    }
}
