package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Holds the keys for which permits are acquired ahead, in a fixed number of places. Each key has one place. */
final class PrefetchTable {

    /** Bounds the memory. A key whose place another key uses is decided by Redis alone. */
    static final int PLACES = 1 << 14;

    private final AtomicReferenceArray<PrefetchedKey> keys = new AtomicReferenceArray<>(PLACES);

    private static int place(String policy, String key) {
        int hash = policy.hashCode() * 31 + key.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }

    /** The key in its place, new if the place is free; {@code null} while another key uses it. */
    PrefetchedKey claimed(Policy policy, String key, long now) {
        int place = place(policy.name(), key);
        PrefetchedKey present = keys.get(place);
        if (present != null && present.isOf(policy.name(), key)) {
            return present;
        }
        PrefetchedKey fresh = present == null || present.isIdle(now) ? new PrefetchedKey(policy, key, now) : null;
        return fresh != null && keys.compareAndSet(place, present, fresh) ? fresh : null;
    }

    /** The key if it is in its place, otherwise {@code null}. */
    PrefetchedKey known(String policy, String key) {
        PrefetchedKey present = keys.get(place(policy, key));
        return present != null && present.isOf(policy, key) ? present : null;
    }

    void forEach(Consumer<PrefetchedKey> action) {
        for (int place = 0; place < PLACES; place++) {
            PrefetchedKey key = keys.get(place);
            if (key != null) {
                action.accept(key);
            }
        }
    }
}
