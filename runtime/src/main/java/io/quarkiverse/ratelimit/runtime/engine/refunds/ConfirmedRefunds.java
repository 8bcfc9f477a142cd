package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.denials.KeyOfPolicy;

/**
 * Holds the ids of refunds that Redis has confirmed at their first attempt. They are not repeated, so the next refunds of the
 * same key remove their marks.
 */
final class ConfirmedRefunds {

    /** Bounds the memory. Of two keys with the same place, one keeps its marks until they expire. */
    private static final int PLACES = 1 << 10;
    private static final int MAX_IDS = 256;
    /** More than one, so that the number of marks falls. */
    private static final int IDS_PER_REFUND = 4;

    private final Place[] places = new Place[PLACES];

    ConfirmedRefunds() {
        for (int i = 0; i < PLACES; i++) {
            places[i] = new Place();
        }
    }

    private static final class Place {

        private final Queue<Long> ids = new ArrayDeque<>();
        private KeyOfPolicy key;

        private synchronized void add(KeyOfPolicy other, long id) {
            if (!other.equals(key)) {
                key = other;
                ids.clear();
            }
            if (ids.size() < MAX_IDS) {
                ids.add(id);
            }
        }

        private synchronized List<Long> take(KeyOfPolicy other) {
            List<Long> taken = new ArrayList<>(IDS_PER_REFUND);
            while (other.equals(key) && !ids.isEmpty() && taken.size() < IDS_PER_REFUND) {
                taken.add(ids.poll());
            }
            return taken;
        }
    }

    void add(Decision refunded) {
        KeyOfPolicy key = new KeyOfPolicy(refunded.policy(), refunded.key());
        place(key).add(key, refunded.id());
    }

    /** Some ids of other refunds of the same key. Each is returned once. */
    List<Long> take(Decision decision) {
        KeyOfPolicy key = new KeyOfPolicy(decision.policy(), decision.key());
        return place(key).take(key);
    }

    private Place place(KeyOfPolicy key) {
        int hash = key.hashCode();
        return places[(hash ^ hash >>> 16) & PLACES - 1];
    }
}
