package io.quarkiverse.ratelimit.runtime.engine.admin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts denials by key in bounded memory, whatever keys callers choose. A key for which there is no room replaces one of
 * the least denied keys and inherits its rank, as in the algorithm <em>Space-Saving</em> (Metwally, Agrawal, El Abbadi,
 * 2005), but only with the probability 1 / (rank + 1), as in the <em>Randomized Admission Policy</em> (Ben Basat et al.,
 * 2017). So keys that are denied once cost little. The least of a few random keys replaces the least of all. A count does
 * not include what was inherited, so it is never too high.
 */
final class DenialSketch {

    /** How many keys are compared to find one that is denied rarely. */
    private static final int LOOKS = 8;

    private final int capacity;
    private final Map<String, KeyCounter> byKey = new ConcurrentHashMap<>();
    /** The same counters, in any order; guarded by this. */
    private final List<KeyCounter> counters = new ArrayList<>();
    /** The rank of the key that was replaced last; 0 while there is room. */
    private volatile long replacedRank;

    DenialSketch(int capacity) {
        this.capacity = capacity;
    }

    void count(String key) {
        KeyCounter counter = byKey.get(key);
        if (counter != null) {
            counter.incrementAndGet();
        } else if (isCounted(replacedRank)) {
            countNew(key);
        }
    }

    private static boolean isCounted(long rank) {
        return rank == 0 || ThreadLocalRandom.current().nextLong(rank + 1) == 0;
    }

    private synchronized void countNew(String key) {
        if (byKey.containsKey(key)) {
            count(key);
        } else if (counters.size() < capacity) {
            counters.add(placed(new KeyCounter(key, 0)));
        } else {
            int place = placeOfOneDeniedRarely();
            KeyCounter evicted = counters.get(place);
            replacedRank = evicted.rank();
            byKey.remove(evicted.key);
            counters.set(place, placed(new KeyCounter(key, evicted.rank())));
        }
    }

    private KeyCounter placed(KeyCounter counter) {
        byKey.put(counter.key, counter);
        return counter;
    }

    /** Keys that are alike, such as neighboring addresses, are neighbors in a hash map. So the places are random. */
    private int placeOfOneDeniedRarely() {
        int least = ThreadLocalRandom.current().nextInt(capacity);
        for (int looks = 1; looks < LOOKS; looks++) {
            int place = ThreadLocalRandom.current().nextInt(capacity);
            least = counters.get(place).rank() < counters.get(least).rank() ? place : least;
        }
        return least;
    }

    synchronized int size() {
        return counters.size();
    }

    /**
     * Returns the counts of the keys that are denied most, and resets them. Removes keys that were not denied
     * since the last call.
     */
    synchronized Map<String, Long> drain(int max) {
        counters.removeIf(counter -> counter.get() == 0 && byKey.remove(counter.key, counter));
        counters.forEach(counter -> counter.atDrain = counter.get());
        counters.sort(Comparator.comparingLong(counter -> -counter.atDrain));
        Map<String, Long> drained = new LinkedHashMap<>();
        for (KeyCounter counter : counters) {
            if (drained.size() < max) {
                drained.put(counter.key, counter.drain());
            } else {
                counter.past /= 2;
            }
        }
        replacedRank = counters.size() < capacity ? 0 : replacedRank / 2;
        return drained;
    }

    synchronized void clear() {
        byKey.clear();
        counters.clear();
        replacedRank = 0;
    }

    /** The denials of one key that are not drained yet. */
    private static final class KeyCounter extends AtomicLong {

        private static final long serialVersionUID = 1L;

        private final String key;
        /** What was inherited and drained, halved by each drain. */
        private volatile long past;
        /** The count when a drain began, as counts change while it sorts. */
        private long atDrain;

        KeyCounter(String key, long inherited) {
            super(1);
            this.key = key;
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
