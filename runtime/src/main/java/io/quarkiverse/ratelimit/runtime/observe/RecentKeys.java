package io.quarkiverse.ratelimit.runtime.observe;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers keys for a while, in the order in which they came.
 *
 * @param <K> callers may choose many keys with equal hash codes. A hash map orders such keys by {@code compareTo}, so that
 *        finding one takes a logarithmic number of comparisons. Without it, the map would look at all of them.
 */
final class RecentKeys<K extends Comparable<K>> {

    private final int max;
    private final long nanos;
    private final Map<K, Long> seen = new LinkedHashMap<>();

    /** @param max of how many; where there are as many, none is new */
    RecentKeys(int max, long nanos) {
        this.max = max;
        this.nanos = nanos;
    }

    /** Whether it does not remember the key, which it does from now on. */
    synchronized boolean isNew(K key, long now) {
        Iterator<Long> times = seen.values().iterator();
        while (times.hasNext() && now - times.next() >= nanos) {
            times.remove();
        }
        return seen.size() < max && seen.putIfAbsent(key, now) == null;
    }
}
