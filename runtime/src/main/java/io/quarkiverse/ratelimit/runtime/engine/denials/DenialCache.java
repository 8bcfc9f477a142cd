package io.quarkiverse.ratelimit.runtime.engine.denials;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.PolicyCall;
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
    /** Bounds the memory. Keys that share a counter only cost each other a request to Redis. */
    private static final int COUNTERS = 1 << 12;

    private final LongSupplier clockOffset;
    private final LongSupplier nanoTime;
    /** The number of refunds, resets and overrides of the keys that share a counter. */
    private final AtomicIntegerArray changes = new AtomicIntegerArray(COUNTERS);
    private final Map<KeyOfPolicy, CachedDenial> denials = new ConcurrentHashMap<>();
    private final DenialEviction eviction = new DenialEviction(denials);

    /**
     * @param clockOffset by how many microseconds tests have moved the limiter's clock
     * @param nanoTime {@link System#nanoTime}
     */
    public DenialCache(LongSupplier clockOffset, LongSupplier nanoTime) {
        this.clockOffset = clockOffset;
        this.nanoTime = nanoTime;
    }

    /** Whether a denial of this call can be cached: it has one policy, and the same call will be denied for some time. */
    public static boolean isCacheable(Call call) {
        return call.policies().size() == 1 && call.policies().get(0).repeatsDenials();
    }

    /**
     * The cached denial as Redis would reply now; {@code null} when Redis must decide.
     *
     * @param now by {@link System#nanoTime}
     */
    public Outcome denial(PolicyCall call, long now) {
        CachedDenial denial = denials.isEmpty() ? null : denials.get(KeyOfPolicy.of(call));
        return denial == null ? null : denial.repeated(call, now, clockOffset.getAsLong());
    }

    /** The time by {@link System#nanoTime}. */
    public long now() {
        return nanoTime.getAsLong();
    }

    /** The number of refunds, resets and overrides of this caller so far. */
    public int changes(PolicyCall call) {
        return changes.get(counter(KeyOfPolicy.of(call)));
    }

    private static int counter(KeyOfPolicy key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & COUNTERS - 1;
    }

    /**
     * Records a reply. Caches a denial that lasts, unless something has changed since its request was sent. Any other
     * reply evicts the entry.
     *
     * @param sent when the request was sent
     * @param changesBefore the number of changes at that time
     */
    public void decided(PolicyCall call, Outcome outcome, long sent, int changesBefore) {
        Decision decision = outcome.decisions().get(0);
        long lifetime = decision.allowed() ? 0 : CachedDenial.lifetime(decision);
        // the clock is not read where nothing is cached
        long now = lifetime < SHORTEST ? 0 : nanoTime.getAsLong();
        if (lifetime < SHORTEST || now - (sent + lifetime) >= 0) {
            evictChanged(call);
            return;
        }
        CachedDenial denial = new CachedDenial(KeyOfPolicy.of(call), decision, call.requested().cost(), now,
                sent + lifetime, clockOffset.getAsLong());
        denials.put(denial.key(), denial);
        eviction.added(denial);
        // a later change evicts the entry; one before it was put is found here
        if (changes.get(counter(denial.key())) != changesBefore) {
            denials.remove(denial.key());
        }
    }

    /** Evicts the entries of these callers, as their limits may have changed state. */
    public void evictChanged(Call call) {
        if (!denials.isEmpty()) {
            call.policies().forEach(this::evictChanged);
        }
    }

    private void evictChanged(PolicyCall call) {
        if (!denials.isEmpty()) {
            denials.remove(KeyOfPolicy.of(call));
        }
    }

    /** Evicts the entry of a caller of a policy. */
    public void evict(String policy, String key) {
        KeyOfPolicy changed = new KeyOfPolicy(policy, key);
        changes.incrementAndGet(counter(changed));
        denials.remove(changed);
    }

    public void evictAll() {
        for (int counter = 0; counter < COUNTERS; counter++) {
            changes.incrementAndGet(counter);
        }
        denials.clear();
    }

    int size() {
        return denials.size();
    }
}
