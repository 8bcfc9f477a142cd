package io.quarkiverse.ratelimit.runtime.observe;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Remembers for a while which keys of policies it has seen, in the order in which they came. */
final class RecentKeys {

    private final int max;
    private final long nanos;
    private final Map<Key, Long> seen = new LinkedHashMap<>();

    /** @param max of how many; where there are as many, none is new */
    RecentKeys(int max, long nanos) {
        this.max = max;
        this.nanos = nanos;
    }

    /** Whether it does not remember the key, which it does from now on. */
    synchronized boolean isNew(String policy, String key, long now) {
        Iterator<Long> times = seen.values().iterator();
        while (times.hasNext() && now - times.next() >= nanos) {
            times.remove();
        }
        return seen.size() < max && seen.putIfAbsent(new Key(policy, key), now) == null;
    }

    private record Key(String policy, String key) {
    }
}
