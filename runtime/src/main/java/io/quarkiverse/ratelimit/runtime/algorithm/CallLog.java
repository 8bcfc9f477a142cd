package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.function.IntPredicate;

/**
 * Remembers calls, newest first: when each was, and how many permits have been taken up to and including it. The last
 * entry is not one of them, but says how many had been taken before.
 *
 * <p>
 * It is a ring that grows and shrinks; it is not safe for several threads.
 */
final class CallLog implements Growing {

    private static final int SMALLEST = 4;
    /** As many entries take as much as a key. */
    private static final int ENTRIES_PER_WEIGHT = 8;

    private long[] times = new long[SMALLEST];
    private long[] totals = new long[SMALLEST];
    /** Where the last entry is; newer ones follow. */
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

    /** Removes all but those from one index to another, both kept; all if there are none. */
    void keep(int from, int to) {
        first = place(to);
        size = Math.max(0, to - from + 1);
        resizeTo(size);
    }

    /** Gives permits back that this entry took, and forgets it when it took no others. */
    void giveBack(int index, long count) {
        boolean all = total(index) - count == total(index + 1);
        for (int i = all ? index - 1 : index; i >= 0; i--) {
            set(all ? i + 1 : i, time(i), total(i) - count);
        }
        size -= all ? 1 : 0;
    }

    /** The last index for which it still holds, on the way from one where it holds to one where it does not. */
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

    /** Makes room for so many, and gives back what is far too much. */
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
