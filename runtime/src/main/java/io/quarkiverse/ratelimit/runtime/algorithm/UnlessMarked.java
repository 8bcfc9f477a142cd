package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Denies if {@link MarkOnce} has recorded this id on any instance. The store in memory records nothing, so it always allows.
 *
 * @param id as in {@link MarkOnce}
 */
public record UnlessMarked(String id) implements Operation {

    @Override
    public String script() {
        return "once";
    }

    @Override
    public String function() {
        return "unless_done";
    }

    @Override
    public byte[] arguments(long now) {
        return id.getBytes(US_ASCII);
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost) {
        return OperationResult.allowed(null, 0);
    }
}
