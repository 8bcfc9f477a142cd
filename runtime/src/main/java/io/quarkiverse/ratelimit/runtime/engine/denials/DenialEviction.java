package io.quarkiverse.ratelimit.runtime.engine.denials;

import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;

/** Bounds the size of the denial cache: evicts expired entries, and those that end first when there are too many. */
final class DenialEviction {

    static final int MAX_ENTRIES = 50_000;
    /** More than one for each added entry, so that the number of expired entries falls. */
    private static final int CHECKS = 2;

    private final Map<KeyOfPolicy, CachedDenial> denials;
    /** All entries in force and some expired ones, in the order of their end; has its own size limit. */
    private final Queue<CachedDenial> byEnd = new PriorityQueue<>(CachedDenial.BY_END);

    /** @param denials the entries of the cache */
    DenialEviction(Map<KeyOfPolicy, CachedDenial> denials) {
        this.denials = denials;
    }

    /** Evicts entries after this one was added. */
    synchronized void added(CachedDenial denial) {
        byEnd.add(denial);
        for (int checks = 0; checks < CHECKS && !byEnd.isEmpty(); checks++) {
            CachedDenial first = byEnd.element();
            boolean lasts = denials.get(first.key()) == first && denial.received() - first.until() < 0;
            if (lasts && denials.size() <= MAX_ENTRIES && byEnd.size() <= 2 * MAX_ENTRIES) {
                break;
            }
            byEnd.remove();
            denials.remove(first.key(), first);
        }
    }
}
