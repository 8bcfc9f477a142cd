package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * An operation that only changes or checks a key, such as a refund. It reads no usage, and is never merged.
 *
 * @param packed packs the arguments of the function
 * @param decision decides by the stored value and the time, as {@link Operation#decide}
 */
public record PlainOperation(ScriptFile function, Supplier<byte[]> packed, BiFunction<Object, Long, OperationResult> decision)
        implements
            Operation {

    /** Removes a key. */
    public static final Operation RESET = new PlainOperation(ScriptFile.RESET, () -> new byte[0],
            (stored, now) -> OperationResult.allowed(() -> null, now));

    @Override
    public byte[] arguments(long now) {
        return packed.get();
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost, List<LimitReply> before) {
        return decision.apply(stored, now);
    }
}
