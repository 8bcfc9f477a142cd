package io.quarkiverse.ratelimit.runtime.algorithm.log;

import java.util.function.IntPredicate;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;

/**
 * Records calls, newest first: the time of each call, and the total of permits up to and including it. The last entry is
 * not a call: it holds the total before all others.
 *
 * <p>
 * The log is a ring buffer that grows and shrinks. It is not thread-safe.
 */
final class CallLog implements OperationResult.Weighted {

    private static final int SMALLEST = 4;
    /** A longer log is thinned, so that one key takes no more than a small part of the memory. */
    private static final int LONGEST = 1 << 18;
    /** This many entries take as much memory as a key. */
    private static final int ENTRIES_PER_WEIGHT = 8;

    private long[] times = new long[SMALLEST];
    private long[] totals = new long[SMALLEST];
    /** Position of the last entry; newer entries follow. */
    private int first;
    private int size;
    private long keptFor;

    CallLog() {
        addFirst(0, 0);
    }

    int size() {
        return size;
    }

    @Override
    public int weight() {
        return times.length / ENTRIES_PER_WEIGHT;
    }

    /** @param index 0 for the newest */
    long time(int index) {
        return times[place(index)];
    }

    long total(int index) {
        return totals[place(index)];
    }

    /** How long after the newest entry the log matters. */
    long keptFor() {
        return keptFor;
    }

    void keepFor(long time) {
        keptFor = time;
    }

    void addFirst(long time, long total) {
        if (size >= LONGEST) {
            thin();
        }
        resizeTo(size + 1);
        size++;
        set(0, time, total);
    }

    void addLast(long time, long total) {
        resizeTo(size + 1);
        first = first - 1 & times.length - 1;
        size++;
        set(size - 1, time, total);
    }

    /** Keeps one entry per part of the time. Permits of the others come back with it: later, never earlier. */
    private void thin() {
        long part = Math.max(1, keptFor / (LONGEST / 2));
        int kept = 1;
        for (int index = size - 2; index >= 0; index--) {
            if (index == 0 || time(index) / part != time(index - 1) / part) {
                times[first + kept & times.length - 1] = time(index);
                totals[first + kept & times.length - 1] = total(index);
                kept++;
            }
        }
        size = kept;
    }

    /** Removes all entries outside this range of indexes, which is inclusive. Removes all entries if the range is empty. */
    void keep(int from, int to) {
        first = place(to);
        size = Math.max(0, to - from + 1);
        resizeTo(size);
    }

    /** Refunds permits to this entry, and removes the entry if it has no others. Returns {@code null} if no call is left. */
    CallLog refund(int index, long count) {
        boolean all = total(index) - count == total(index + 1);
        for (int i = all ? index - 1 : index; i >= 0; i--) {
            set(all ? i + 1 : i, time(i), total(i) - count);
        }
        size -= all ? 1 : 0;
        return size == 1 ? null : this;
    }

    /** The last index for which the predicate holds, between {@code from}, where it does, and {@code to}, where it does not. */
    static int lastThat(IntPredicate holds, int from, int to) {
        while (Math.abs(to - from) > 1) {
            int middle = (from + to) / 2;
            if (holds.test(middle)) {
                from = middle;
            } else {
                to = middle;
            }
        }
        return from;
    }

    private int place(int index) {
        return first + size - 1 - index & times.length - 1;
    }

    private void set(int index, long time, long total) {
        times[place(index)] = time;
        totals[place(index)] = total;
    }

    /** Grows the arrays for this number of entries, or shrinks arrays that are far too large. */
    private void resizeTo(int needed) {
        int length = times.length;
        if (needed > length || (length > SMALLEST && needed < length / 4)) {
            long[] newTimes = new long[needed > length ? length * 2 : length / 2];
            long[] newTotals = new long[newTimes.length];
            for (int i = 0; i < size; i++) {
                newTimes[i] = times[first + i & length - 1];
                newTotals[i] = totals[first + i & length - 1];
            }
            times = newTimes;
            totals = newTotals;
            first = 0;
        }
    }
}
