package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;

/**
 * Repeats a denial of Redis for a short time without a request to Redis. An entry applies to the same call of the same
 * caller under the same limits, until Redis would allow it. A refund, reset or override on this instance evicts the
 * entry, and so does a clock that tests move.
 */
public final class DenialCache {

    /** Shorter denials are not cached, as a request to Redis takes about as long. */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);
    /** Bounds the memory of {@link #changed}. A change of one key counts as one of all keys of its stripe. */
    private static final int STRIPES = 1 << 12;
    static final int MAX_ENTRIES = 50_000;
    private static final long SWEEP_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private final long created;
    final Map<LimitKey, CachedDenial> denials = new ConcurrentHashMap<>();
    /** When a refund, reset or override last changed one of the keys of a stripe. */
    private final AtomicLongArray changed = new AtomicLongArray(STRIPES);
    private long sweptAt;

    /** @param nanoTime {@link System#nanoTime} */
    public DenialCache(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        // so that every decision begins after 0, the time of stripes without changes
        this.created = nanoTime.getAsLong() - 1;
    }

    /** The nanoseconds since this cache was created, from 1. */
    public long now() {
        return nanoTime.getAsLong() - created;
    }

    /**
     * The cached denial as Redis would reply now; {@code null} when Redis must decide.
     *
     * @param now by {@link #now}
     */
    public Outcome denial(Call call, long now) {
        if (denials.isEmpty() || !isCacheable(call)) {
            return null;
        }
        KeyedCharge keyed = call.charges().get(0);
        CachedDenial denial = denials.get(keyOf(keyed));
        return denial == null || !denial.applies(keyed, now) ? null
                : new Outcome(List.of(denial.decision.by(Source.DENIAL_CACHE, (now - denial.received) / 1_000)));
    }

    /**
     * Records what a store has decided. Caches a denial of Redis that lasts, unless something has changed since the decision
     * began. Any other reply evicts the entry.
     *
     * @param began when the decision began, by {@link #now}
     */
    public void record(Call call, Outcome outcome, long began) {
        if (!denials.isEmpty()) {
            call.charges().forEach(keyed -> denials.remove(keyOf(keyed)));
        }
        if (outcome.isDenied() && isCacheable(call)) {
            keep(call.charges().get(0), outcome.decisions().get(0), began);
        }
    }

    /** Whether a denial of this call can be cached: it has one policy, and the same call will be denied for some time. */
    static boolean isCacheable(Call call) {
        KeyedCharge first = call.charges().get(0);
        return call.charges().size() == 1 && first.charge().requested.kind() == OperationKind.ACQUIRE
                && first.policy().repeatsDenials();
    }

    private static LimitKey keyOf(KeyedCharge keyed) {
        return new LimitKey(keyed.policy().name(), "", keyed.key());
    }

    private void keep(KeyedCharge keyed, Decision decision, long began) {
        long now = now();
        long until = began + (decision.source() == Source.REDIS ? lifetime(decision) : 0);
        if (until - began < SHORTEST || now - until >= 0) {
            return;
        }
        sweep(now);
        LimitKey key = keyOf(keyed);
        denials.put(key, new CachedDenial(decision, keyed.charge().requested.cost(), now, until));
        // a change after this evicts the entry; one since the decision began, but before the entry was put, is found here
        if (changed.get(stripe(key)) - began >= 0) {
            denials.remove(key);
        }
    }

    /** Nanoseconds until any part of the denial changes; 0 if another call may change it before. */
    private static long lifetime(Decision denial) {
        if (denial.reason() != DenialReason.BLOCKED && !denial.appliedPolicy().denialsLast()) {
            return 0;
        }
        Duration lifetime = denial.appliedPolicy().denialCache();
        for (LimitState limit : denial.limits()) {
            for (Duration time : List.of(limit.retryAfter(), limit.nextPermitAfter())) {
                lifetime = time.isZero() || lifetime.compareTo(time) < 0 ? lifetime : time;
            }
        }
        return lifetime.toNanos();
    }

    /** Evicts expired entries, and all when too many are in force. */
    private synchronized void sweep(long now) {
        if (now - sweptAt >= SWEEP_INTERVAL || denials.size() >= MAX_ENTRIES) {
            sweptAt = now;
            denials.values().removeIf(denial -> now - denial.until >= 0);
            if (denials.size() >= MAX_ENTRIES) {
                denials.clear();
            }
        }
    }

    private static int stripe(LimitKey key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & STRIPES - 1;
    }

    public void evict(String policy, String key) {
        LimitKey evicted = new LimitKey(policy, "", key);
        changed.set(stripe(evicted), now());
        denials.remove(evicted);
    }

    public void evictAll() {
        long now = now();
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            changed.set(stripe, now);
        }
        denials.clear();
    }

    /**
     * A denial of Redis, and how long it lasts.
     *
     * @param received when the reply arrived, by {@link #now}
     * @param until when Redis must decide again; counted from when the request was sent
     */
    private record CachedDenial(Decision decision, long cost, long received, long until) {

        boolean applies(KeyedCharge keyed, long now) {
            return decision.appliedPolicy().equals(keyed.policy()) && cost == keyed.charge().requested.cost()
                    && now - until < 0;
        }
    }
}
