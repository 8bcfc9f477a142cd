package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Records calls, oldest first: the time of each call, and the total of permits up to and including it. The first entry is
 * not a call: it holds the total before all others. Not thread-safe.
 */
final class CallLog implements OperationResult.Weighted {

    private static final int SMALLEST = 4;
    /** Number of entries from which a log is thinned, so that one key takes no more than a small part of the memory. */
    private static final int LONGEST = 1 << 18;
    /** This many entries take as much memory as a key. */
    private static final int ENTRIES_PER_WEIGHT = 8;

    private long[] times = new long[SMALLEST];
    private long[] totals = new long[SMALLEST];
    /** Position of the first entry in both arrays. */
    private int begin;
    private int size;
    /** Time after the newest entry during which the log matters. */
    long keptFor;

    CallLog() {
        add(0, 0);
    }

    int size() {
        return size;
    }

    @Override
    public int weight() {
        return times.length / ENTRIES_PER_WEIGHT;
    }

    long time(int position) {
        return times[begin + position];
    }

    long total(int position) {
        return totals[begin + position];
    }

    void set(int position, long time, long total) {
        times[begin + position] = time;
        totals[begin + position] = total;
    }

    void add(long time, long total) {
        if (size >= LONGEST) {
            thin();
        }
        if (begin + size == times.length || size < times.length / 4) {
            int length = Math.max(SMALLEST, 2 * size);
            times = Arrays.copyOfRange(times, begin, begin + length);
            totals = Arrays.copyOfRange(totals, begin, begin + length);
            begin = 0;
        }
        size++;
        set(size - 1, time, total);
    }

    /** Keeps one entry per part of the time. Permits of the others come back with it: later, never earlier. */
    private void thin() {
        long part = Math.max(1, keptFor / (LONGEST / 2));
        int kept = 1;
        for (int position = 1; position < size; position++) {
            if (position == size - 1 || time(position) / part != time(position + 1) / part) {
                set(kept++, time(position), total(position));
            }
        }
        size = kept;
    }

    /** Removes all entries but those from one position to before another one. */
    void keep(int from, int to) {
        begin += from;
        size = to - from;
    }

    /** Refunds permits to this entry, and removes the entry if it has no others. Returns {@code null} if no call is left. */
    CallLog refund(int position, long count) {
        int removed = total(position) - count == total(position - 1) ? 1 : 0;
        for (int i = position + removed; i < size; i++) {
            set(i - removed, time(i), total(i) - count);
        }
        size -= removed;
        return size == 1 ? null : this;
    }

    /** Returns the first position from which the predicate holds, or the size of the log if it holds nowhere. */
    int first(int from, IntPredicate holds) {
        int low = from, high = size;
        while (low < high) {
            int middle = (low + high) / 2;
            if (holds.test(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
