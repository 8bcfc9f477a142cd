package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Denies if {@link MarkOnce} has recorded this id on any instance.
 *
 * @param id as in {@link MarkOnce}
 */
public record UnlessMarked(String id) implements Operation {

    @Override
    public ScriptFile function() {
        return ScriptFile.UNLESS_MARKED;
    }

    @Override
    public byte[] arguments(long now) {
        return id.getBytes(US_ASCII);
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost) {
        return stored instanceof MarkOnce.Marks marks && marks.contains(id)
                ? new OperationResult(new LimitReply.Done(0), null, 0)
                : OperationResult.unchanged();
    }
}
