package io.quarkiverse.ratelimit.runtime.engine.denials;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.smallrye.mutiny.Uni;

/**
 * Finds the keys that each configured policy denies most. Denials are counted in the memory of the instance, and moved to the
 * store about once per second, only if there are any.
 */
public record MostDenied(DenialStore store, Map<String, Counts> byPolicy) implements DecisionObserver.OfDenials {

    /** Largest number of keys of a policy that are counted in memory. */
    static final int MAX_KEYS = 1_000;
    /** Largest number of keys of a policy that are moved to the store at once. The lowest counts are lost. */
    static final int MAX_MOVED = 250;

    public MostDenied(DenialStore store) {
        this(store, new ConcurrentHashMap<>());
    }

    @Override
    public boolean expect(Collection<Policy> policies) {
        for (Policy policy : policies) {
            byPolicy.put(policy.name(), new Counts());
        }
        return true;
    }

    /** Ignores limiters that code creates, as their number has no bound. */
    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        Counts counts = effect == Effect.DENIED && isOfKey(decision) ? byPolicy.get(policy) : null;
        if (counts != null) {
            counts.count(decision.key());
        }
    }

    /** Returns whether a limit denied the key, and not a failure or the lack of a key. */
    private static boolean isOfKey(RateLimitDecision denied) {
        DenialReason reason = denied.denialReason().orElse(null);
        return reason != DenialReason.MISSING_KEY && reason != DenialReason.REDIS_UNAVAILABLE;
    }

    /** Moves counts to the store. What the store does not accept is lost. */
    public Uni<Void> move() {
        return Uni.join().all(byPolicy.keySet().stream().map(this::moved).toList()).andCollectFailures().replaceWithVoid();
    }

    /** Takes the counts only when the store is about to get them, as they are in neither place until then. */
    private Uni<Void> moved(String policy) {
        return Uni.createFrom().deferred(() -> {
            Counts counts = byPolicy.get(policy);
            Map<String, Long> denials = counts == null ? Map.of() : counts.drain(MAX_MOVED);
            return denials.isEmpty() ? Uni.createFrom().voidItem()
                    : store.add(policy, counts.total.sumThenReset(), denials);
        });
    }

    /** Returns the keys denied most, most denied first, including what this instance has not moved yet. */
    public Uni<List<DeniedKey>> mostDenied(Policy policy, int count) {
        return moved(policy.name()).chain(() -> store.most(policy.name(), count));
    }

    /** Returns how often the policy denied keys, also those for which there is no room. */
    public Uni<Long> total(Policy policy) {
        return moved(policy.name()).chain(() -> store.total(policy.name()));
    }

    public void clear() {
        byPolicy.values().forEach(counts -> {
            counts.drain(0);
            counts.total.reset();
        });
    }

    /** Counts denials by key in bounded memory: a key for which there is no room is not counted. A count is never too high. */
    static final class Counts {

        volatile Map<String, AtomicLong> byKey = new ConcurrentHashMap<>();
        final LongAdder total = new LongAdder();

        void count(String key) {
            total.increment();
            Map<String, AtomicLong> counts = byKey;
            AtomicLong count = counts.get(key);
            if (count == null && counts.size() < MAX_KEYS) {
                count = counts.computeIfAbsent(key, ignored -> new AtomicLong());
            }
            if (count != null) {
                count.incrementAndGet();
            }
        }

        /** Returns the counts of the keys denied most, and removes all. */
        synchronized Map<String, Long> drain(int max) {
            Map<String, Long> drained = new LinkedHashMap<>();
            Map<String, AtomicLong> counts = byKey;
            byKey = new ConcurrentHashMap<>();
            // a copy, as counts may change while it is sorted
            counts.entrySet().stream().map(entry -> Map.entry(entry.getKey(), entry.getValue().get()))
                    .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder())).limit(max)
                    .forEach(entry -> drained.put(entry.getKey(), entry.getValue()));
            return drained;
        }
    }
}
