package io.quarkiverse.ratelimit.runtime.engine.denials;

import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;

/**
 * Repeats a denial of Redis for a short time without a request to Redis. An entry applies to the same call of the same
 * caller under the same limits, until Redis would allow it. A refund, reset or override on this instance evicts the
 * entry.
 */
public final class DenialCache {

    /** Shorter denials are not cached, as a request to Redis takes about as long. */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);
    /** Bounds the memory. Keys that share a place only cost each other a request to Redis. */
    private static final int PLACES = 1 << 12;
    static final int MAX_ENTRIES = 50_000;
    /** More than one for each added entry, so that the number of expired entries falls. */
    private static final int CHECKS = 2;

    private final LongSupplier clockOffset;
    private final LongSupplier nanoTime;
    /** When a refund, reset or override last changed one of the keys that share a place. */
    private final AtomicLongArray changed = new AtomicLongArray(PLACES);
    private final Map<KeyOfPolicy, CachedDenial> denials = new ConcurrentHashMap<>();
    /** All entries in force and some expired ones, in the order of their end; has its own size limit. */
    private final Queue<CachedDenial> byEnd = new PriorityQueue<>(CachedDenial.BY_END);

    /**
     * @param clockOffset by how many microseconds tests have moved the limiter's clock
     * @param nanoTime {@link System#nanoTime}
     */
    public DenialCache(LongSupplier clockOffset, LongSupplier nanoTime) {
        this.clockOffset = clockOffset;
        this.nanoTime = nanoTime;
        changeAll(now() - 1);
    }

    /** The time by {@link System#nanoTime}. */
    public long now() {
        return nanoTime.getAsLong();
    }

    /**
     * The cached denial as Redis would reply now; {@code null} when Redis must decide.
     *
     * @param now by {@link System#nanoTime}
     */
    public Outcome denial(Call call, long now) {
        if (denials.isEmpty() || !isCacheable(call)) {
            return null;
        }
        PolicyPart part = call.parts().get(0);
        CachedDenial denial = denials.get(KeyOfPolicy.of(part));
        return denial == null ? null : denial.repeated(part, now, clockOffset.getAsLong());
    }

    /**
     * Records what a store has decided. Caches a denial of Redis that lasts, unless something has changed since the decision
     * began. Any other reply evicts the entry.
     *
     * @param began when the decision began, by {@link System#nanoTime}
     */
    public void decided(Call call, Outcome outcome, long began) {
        if (!denials.isEmpty()) {
            call.parts().forEach(part -> denials.remove(KeyOfPolicy.of(part)));
        }
        if (outcome.isDenied() && isCacheable(call)) {
            keep(call.parts().get(0), outcome.decisions().get(0), began);
        }
    }

    /** Whether a denial of this call can be cached: it has one policy, and the same call will be denied for some time. */
    static boolean isCacheable(Call call) {
        return call.parts().size() == 1 && call.parts().get(0).repeatsDenials();
    }

    private void keep(PolicyPart part, Decision decision, long began) {
        long lifetime = decision.source() == Source.REDIS ? CachedDenial.lifetime(decision) : 0;
        long now = now();
        if (lifetime < SHORTEST || now - (began + lifetime) >= 0) {
            return;
        }
        CachedDenial denial = new CachedDenial(KeyOfPolicy.of(part), decision, part.charge().requested.cost(), now,
                began + lifetime, clockOffset.getAsLong());
        denials.put(denial.key(), denial);
        evictAfter(denial);
        // a later change evicts the entry; one before it was put is found here
        if (changed.get(place(denial.key())) - began >= 0) {
            denials.remove(denial.key());
        }
    }

    /** Evicts expired entries after this one was added, and those that end first when there are too many. */
    private synchronized void evictAfter(CachedDenial added) {
        byEnd.add(added);
        for (int checks = 0; checks < CHECKS && !byEnd.isEmpty(); checks++) {
            CachedDenial first = byEnd.element();
            boolean lasts = denials.get(first.key()) == first && added.received() - first.until() < 0;
            if (lasts && denials.size() <= MAX_ENTRIES && byEnd.size() <= 2 * MAX_ENTRIES) {
                break;
            }
            byEnd.remove();
            denials.remove(first.key(), first);
        }
    }

    private static int place(KeyOfPolicy key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }

    /** Evicts the entry of a caller of a policy. */
    public void evict(String policy, String key) {
        KeyOfPolicy evicted = new KeyOfPolicy(policy, key);
        changed.set(place(evicted), now());
        denials.remove(evicted);
    }

    public void evictAll() {
        changeAll(now());
        denials.clear();
    }

    private void changeAll(long time) {
        for (int place = 0; place < PLACES; place++) {
            changed.set(place, time);
        }
    }

    int size() {
        return denials.size();
    }
}
