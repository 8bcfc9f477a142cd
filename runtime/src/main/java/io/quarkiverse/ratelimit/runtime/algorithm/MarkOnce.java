package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;

/**
 * Allows an operation the first time and denies its repetitions. A repetition comes from an instance that lost the reply, or
 * from code that has read the id of a reservation again.
 *
 * @param id unique id of the operation among those with the same key
 * @param lasts time for which the id is remembered
 * @param confirmed ids of other operations that will not be repeated, so that they need not be remembered
 */
public record MarkOnce(String id, Duration lasts, List<String> confirmed) implements Operation {

    public MarkOnce(String id, Duration lasts) {
        this(id, lasts, List.of());
    }

    /** Denies if a {@link MarkOnce} has recorded this id on any instance. */
    public static Operation unlessMarked(String id) {
        return new PlainOperation(ScriptFile.UNLESS_MARKED, () -> id.getBytes(US_ASCII),
                (stored, now) -> stored instanceof Marks marks && marks.ends.containsKey(id) ? OperationResult.denied()
                        : OperationResult.unchanged());
    }

    @Override
    public ScriptFile function() {
        return ScriptFile.MARK_ONCE;
    }

    @Override
    public byte[] arguments(long now) {
        return (LimitUsage.micros(lasts) + " " + id + " " + String.join(" ", confirmed)).getBytes(US_ASCII);
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost, List<LimitReply> before) {
        Marks marks = stored instanceof Marks known ? known : new Marks(new HashMap<>());
        long end = now + LimitUsage.micros(lasts);
        return marks.ends.containsKey(id) ? OperationResult.denied()
                : OperationResult.allowed(() -> marks.with(id, end, now), Math.max(end, marks.lastEnd(now)));
    }

    /**
     * The ids that the store in memory remembers for a key. If there were more than {@link #MAX_IDS}, they would evict the
     * states of others.
     */
    private record Marks(Map<String, Long> ends) implements OperationResult.Weighted {

        private static final int MAX_IDS = 1_000;

        long lastEnd(long now) {
            return ends.isEmpty() ? now : Collections.max(ends.values());
        }

        private Marks with(String id, long end, long now) {
            ends.values().removeIf(other -> other <= now);
            if (ends.size() >= MAX_IDS) {
                ends.values().remove(Collections.min(ends.values()));
            }
            ends.put(id, end);
            return this;
        }

        /** Counts each id, because an id takes nearly as much memory as a key. */
        @Override
        public int weight() {
            return ends.size();
        }
    }
}
