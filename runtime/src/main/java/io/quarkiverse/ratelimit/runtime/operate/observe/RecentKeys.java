package io.quarkiverse.ratelimit.runtime.operate.observe;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers keys for a fixed time, in the order of their arrival.
 *
 * @param <K> the type of the keys. Callers can choose many keys with equal hash codes. A hash map orders such keys by
 *        {@code compareTo}, so a lookup takes a logarithmic number of comparisons. Otherwise it would compare all of them.
 */
final class RecentKeys<K extends Comparable<K>> {

    /** At this number no key is new. */
    static final int MAX_KEYS = 10_000;

    private final long nanos;
    private final Map<K, Long> seen = new LinkedHashMap<>();

    RecentKeys(Duration time) {
        this.nanos = time.toNanos();
    }

    /** Remembers the key and returns whether it is new. Keys are also forgotten when the clock went back. */
    synchronized boolean isNew(K key, long now) {
        Iterator<Long> times = seen.values().iterator();
        while (times.hasNext() && Math.abs(now - times.next()) >= nanos) {
            times.remove();
        }
        return seen.size() < MAX_KEYS && seen.putIfAbsent(key, now) == null;
    }

    synchronized void clear() {
        seen.clear();
    }
}
