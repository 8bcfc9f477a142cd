package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Allows an operation the first time and denies its repetitions. A repetition comes from an instance that lost the reply, or
 * from code that has read the id of a reservation again.
 *
 * @param id unique id of the operation among those with the same key
 * @param lasts how long the id is remembered
 * @param confirmed ids of other operations that will not be repeated, so that they need not be remembered
 */
public record MarkOnce(String id, Duration lasts, List<String> confirmed) implements Operation {

    public MarkOnce(String id, Duration lasts) {
        this(id, lasts, List.of());
    }

    /** Denies if a {@link MarkOnce} has recorded this id on any instance. */
    public static Operation unlessMarked(String id) {
        return new PlainOperation(ScriptFile.UNLESS_MARKED, () -> id.getBytes(US_ASCII),
                (stored, now) -> stored instanceof Marks marks && marks.contains(id) ? OperationResult.denied()
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

    /** If there is nothing to refund, there is nothing to repeat. */
    @Override
    public boolean writesOnlyWithOthers() {
        return true;
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost) {
        Marks marks = stored instanceof Marks known ? known : new Marks();
        long end = now + LimitUsage.micros(lasts);
        return marks.contains(id) ? OperationResult.denied()
                : OperationResult.allowed(() -> marks.with(id, end, now), Math.max(end, marks.lastEnd));
    }

    /**
     * The ids that the store in memory remembers for a key, each until it expires. Not thread-safe.
     * <p>
     * Keeps at most {@link #MAX_IDS} ids per caller, so that they do not evict the states of others. Evicts first what expires
     * first. A second object of an evicted decision can be refunded or ended again. A call that adds an id removes no more than
     * {@link #REMOVED_PER_CALL}.
     */
    static final class Marks implements OperationResult.Weighted {

        private static final int MAX_IDS = 1_000, REMOVED_PER_CALL = 2;

        private final Map<String, Long> ends = new HashMap<>();
        private final PriorityQueue<Map.Entry<String, Long>> byEnd = new PriorityQueue<>(
                Comparator.comparingLong(Map.Entry<String, Long>::getValue));
        private long lastEnd;

        boolean contains(String id) {
            return ends.containsKey(id);
        }

        /** Adds an id, and removes those that have expired or are too many. */
        private Marks with(String id, long end, long now) {
            for (int removed = 0; removed < REMOVED_PER_CALL && !byEnd.isEmpty()
                    && (byEnd.peek().getValue() <= now || byEnd.size() >= MAX_IDS); removed++) {
                ends.remove(byEnd.poll().getKey());
            }
            ends.put(id, end);
            byEnd.add(Map.entry(id, end));
            lastEnd = Math.max(lastEnd, end);
            return this;
        }

        /** An id takes nearly as much memory as a key. */
        @Override
        public int weight() {
            return ends.size();
        }
    }
}
