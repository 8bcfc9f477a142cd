package io.quarkiverse.ratelimit.runtime.engine.denials;

import java.time.Duration;
import java.util.ArrayList;
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
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Steps.Step;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;

/**
 * Repeats a denial of Redis for a short time without a request to Redis. An entry applies to the same call of the same
 * caller under the same limits, until Redis would allow it. A refund, reset or override on this instance evicts the
 * entry, and so does a clock that tests move.
 */
public final class DenialCache implements Step {

    /** Shortest time for which a denial is cached, as a request to Redis takes about as long. */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);
    /** Bounds the memory of {@link #changed}. A change of one key counts as one of all keys of its stripe. */
    private static final int STRIPES = 1 << 12;
    static final int MAX_ENTRIES = 50_000;
    private static final long SWEEP_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private final long created;
    final Map<LimitKey, CachedDenial> denials = new ConcurrentHashMap<>();
    /** Times when a refund, reset or override last changed one of the keys of a stripe. */
    private final AtomicLongArray changed = new AtomicLongArray(STRIPES);
    private long sweptAt;

    /** @param nanoTime {@link System#nanoTime} */
    public DenialCache(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        // so that every decision begins after 0, the time of stripes without changes
        this.created = nanoTime.getAsLong() - 1;
    }

    /** Returns the nanoseconds since this cache was created, from 1. */
    private long now() {
        return nanoTime.getAsLong() - created;
    }

    /**
     * Returns the denial as Redis would reply now, if those of all policies that Redis would ask are cached; otherwise
     * {@code null}.
     */
    @Override
    public Outcome before(Call call, long nanoTime) {
        if (denials.isEmpty()) {
            return null;
        }
        long now = nanoTime - created;
        List<Decision> asked = new ArrayList<>(1);
        for (KeyedCharge keyed : call.charges()) {
            CachedDenial denial = isCacheable(call, keyed) ? denials.get(keyed.name()) : null;
            if (denial == null || !denial.applies(keyed, now)) {
                return null;
            }
            asked.add(denial.decision.repeated((now - denial.received) / 1_000));
            if (!keyed.isOverflow() && denial.decision.reason() == DenialReason.BLOCKED) {
                break;
            }
        }
        return new Outcome(List.of(call.request().overflows() ? Decision.ofChain(asked) : asked.get(0)));
    }

    /** Returns a step that records denials, but repeats none: the call is only a part of another one. */
    public Step recordingOnly() {
        return new Step() {

            @Override
            public Outcome before(Call call, long now) {
                return null;
            }

            @Override
            public void after(Call call, Outcome outcome, long began) {
                DenialCache.this.after(call, outcome, began);
            }
        };
    }

    /**
     * Records what a store has decided. Caches a denial of Redis that lasts, unless something has changed since the decision
     * began. Any other reply evicts the entry.
     */
    @Override
    public void after(Call call, Outcome outcome, long began) {
        if (call.request().overflows()) {
            afterOverflows(call, outcome, began - created);
            return;
        }
        if (!denials.isEmpty()) {
            call.charges().forEach(keyed -> denials.remove(keyed.name()));
        }
        if (outcome.isDenied() && isCacheable(call, call.charges().get(0))) {
            keep(call.charges().get(0), outcome.decisions().get(0), began - created);
        }
    }

    /** Records what the policies have decided that were asked. */
    private void afterOverflows(Call call, Outcome outcome, long began) {
        for (Decision told : outcome.all()) {
            for (Decision decision : told.asked()) {
                for (KeyedCharge keyed : call.charges()) {
                    if (keyed.policy().name().equals(decision.policy())) {
                        denials.remove(keyed.name());
                        if (outcome.isDenied() && isCacheable(call, keyed)) {
                            keep(keyed, decision, began);
                        }
                    }
                }
            }
        }
    }

    /**
     * Returns whether a denial by this policy can be cached: only this policy limits the call, or its chain, and will deny the
     * same call for some time.
     */
    static boolean isCacheable(Call call, KeyedCharge keyed) {
        List<KeyedCharge> all = call.charges();
        boolean isAlone = all.size() == 1 || keyed.first() != null && keyed.first().equals(all.get(0).first())
                && keyed.first().equals(all.get(all.size() - 1).first());
        return isAlone && keyed.charge().requested().kind() == OperationKind.ACQUIRE && keyed.policy().repeatsDenials();
    }

    private void keep(KeyedCharge keyed, Decision decision, long began) {
        long now = now();
        long until = began + (decision.source() == Source.REDIS ? lifetime(decision) : 0);
        if (until - began < SHORTEST || now - until >= 0) {
            return;
        }
        sweep(now);
        LimitKey key = keyed.name();
        denials.put(key, new CachedDenial(decision, keyed.charge().requested().cost(), now, until));
        // later changes evict the entry; this finds a change between the begin of the decision and the put
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
        for (LimitState limit : denial.ownLimits()) {
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
     * @param until time when Redis must decide again, counted from the time when the request was sent
     */
    private record CachedDenial(Decision decision, long cost, long received, long until) {

        boolean applies(KeyedCharge keyed, long now) {
            return decision.appliedPolicy().equals(keyed.policy()) && cost == keyed.charge().requested().cost()
                    && now - until < 0;
        }
    }
}
