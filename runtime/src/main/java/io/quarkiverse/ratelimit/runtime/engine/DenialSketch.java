package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts denials by key in bounded memory, whatever keys callers choose. A key for which there is no room replaces one of
 * the least denied keys and inherits its rank, as in the algorithm <em>Space-Saving</em> (Metwally, Agrawal, El Abbadi,
 * 2005). The least of a few keys replaces the least of all. A count does not include what was inherited, so it is never too
 * high.
 */
final class DenialSketch {

    /** How many keys are compared to find one that is denied rarely. */
    private static final int LOOKS = 8;

    private final int capacity;
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();
    private Iterator<Entry<String, Counter>> hand = counters.entrySet().iterator();

    DenialSketch(int capacity) {
        this.capacity = capacity;
    }

    void count(String key) {
        Counter counter = counters.get(key);
        if (counter == null) {
            countNew(key);
        } else {
            counter.incrementAndGet();
        }
    }

    private synchronized void countNew(String key) {
        if (counters.containsKey(key)) {
            count(key);
            return;
        }
        counters.put(key, new Counter(counters.size() < capacity ? 0 : evictOne()));
    }

    /** Evicts a key that is denied rarely, and returns its rank. */
    private long evictOne() {
        while (true) {
            Entry<String, Counter> least = next();
            for (int looks = 1; looks < LOOKS && least != null; looks++) {
                Entry<String, Counter> seen = next();
                least = seen != null && seen.getValue().rank() < least.getValue().rank() ? seen : least;
            }
            if (least == null) {
                return 0;
            }
            if (counters.remove(least.getKey(), least.getValue())) {
                return least.getValue().rank();
            }
        }
    }

    /** The next key in turn, which may have been evicted or replaced already; {@code null} if there are none. */
    private Entry<String, Counter> next() {
        if (!hand.hasNext()) {
            hand = counters.entrySet().iterator();
        }
        return hand.hasNext() ? hand.next() : null;
    }

    int size() {
        return counters.size();
    }

    /**
     * Returns the counts of the keys that are denied most, and begins to count them anew. Removes keys that were not denied
     * since the last call.
     */
    Map<String, Long> drain(int max) {
        Map<String, Long> drained = new LinkedHashMap<>();
        List<Entry<String, Counter>> all = counters.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> -entry.getValue().get())).toList();
        for (Entry<String, Counter> entry : all) {
            Counter counter = entry.getValue();
            if (counter.get() == 0) {
                counters.remove(entry.getKey());
            } else if (drained.size() < max) {
                drained.put(entry.getKey(), counter.drain());
            } else {
                counter.past /= 2;
            }
        }
        return drained;
    }

    void clear() {
        counters.clear();
    }

    /** The denials of one key that are not drained yet. */
    private static final class Counter extends AtomicLong {

        private static final long serialVersionUID = 1L;

        /** What was inherited and drained, halved by each drain. */
        private volatile long past;

        Counter(long inherited) {
            super(1);
            past = inherited;
        }

        long rank() {
            return past + get();
        }

        long drain() {
            long count = getAndSet(0);
            past = (past + count) / 2;
            return count;
        }
    }
}
