package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;

/**
 * Holds the ids of refunds that Redis has confirmed at their first attempt. They are not repeated, so the next refunds of the
 * same key remove their marks.
 */
final class ConfirmedRefunds {

    /** Bounds the memory. The marks of the key that was refunded least recently stay until they expire. */
    private static final int MAX_KEYS = 1 << 10;
    private static final int MAX_IDS = 256;
    /** More than one, so that the number of marks falls. */
    private static final int IDS_PER_REFUND = 4;

    private final Map<LimitKey, Queue<Long>> idsByKey = new LinkedHashMap<>(16, 0.75f, true) {

        @Override
        protected boolean removeEldestEntry(Map.Entry<LimitKey, Queue<Long>> eldest) {
            return size() > MAX_KEYS;
        }
    };

    synchronized void add(Decision refunded) {
        Queue<Long> ids = idsByKey.computeIfAbsent(keyOf(refunded), key -> new ArrayDeque<>());
        if (ids.size() < MAX_IDS) {
            ids.add(refunded.id());
        }
    }

    /** Some ids of other refunds of the same key. Each is returned once. */
    synchronized List<Long> take(Decision decision) {
        Queue<Long> ids = idsByKey.getOrDefault(keyOf(decision), new ArrayDeque<>(0));
        List<Long> taken = new ArrayList<>(IDS_PER_REFUND);
        while (!ids.isEmpty() && taken.size() < IDS_PER_REFUND) {
            taken.add(ids.poll());
        }
        return taken;
    }

    private static LimitKey keyOf(Decision decision) {
        return new LimitKey(decision.policy(), "", decision.key());
    }
}
