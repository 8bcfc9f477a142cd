package io.quarkiverse.ratelimit.runtime.engine.admin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.events.Effect;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.smallrye.mutiny.Uni;

/**
 * Finds the keys that each configured policy denies most. Denials are counted in the memory of the instance, and moved to the
 * store about once per second, only if there are any.
 */
public final class MostDenied implements DecisionObserver {

    /** The most keys of a policy that are counted in memory. */
    static final int MAX_KEYS = 1_000;
    /** The most keys of a policy that are moved to the store at once. Other keys stay and are counted on. */
    static final int MAX_MOVED = 250;

    private final DenialStore store;
    private volatile Map<String, DenialSketch> byPolicy = Map.of();

    public MostDenied(DenialStore store) {
        this.store = store;
    }

    @Override
    public void expect(Collection<Policy> policies) {
        Map<String, DenialSketch> sketches = new HashMap<>();
        policies.forEach(policy -> sketches.put(policy.name(), new DenialSketch(MAX_KEYS)));
        byPolicy = sketches;
    }

    @Override
    public boolean ignoresAllowed() {
        return true;
    }

    /** Ignores limiters that code creates, as their number has no bound. */
    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        if (effect == Effect.DENIED && isOfKey(decision)) {
            DenialSketch sketch = byPolicy.get(policy);
            if (sketch != null) {
                sketch.count(decision.key());
            }
        }
    }

    /** Whether a limit denied the key, and not a failure or the lack of a key. */
    private static boolean isOfKey(RateLimitDecision denied) {
        DenialReason reason = denied.denialReason().orElse(null);
        return reason != DenialReason.MISSING_KEY && reason != DenialReason.REDIS_UNAVAILABLE;
    }

    /** Moves counts to the store. What the store does not accept is lost. */
    public Uni<Void> move() {
        List<Uni<Void>> moves = new ArrayList<>();
        byPolicy.forEach((policy, sketch) -> {
            Map<String, Long> denials = sketch.drain(MAX_MOVED);
            if (!denials.isEmpty()) {
                moves.add(store.add(policy, denials));
            }
        });
        return moves.isEmpty() ? Uni.createFrom().voidItem() : Uni.join().all(moves).andCollectFailures().replaceWithVoid();
    }

    /** The keys denied most, most denied first, including what this instance has not moved yet. */
    public Uni<List<DeniedKey>> of(Policy policy, int count) {
        return Uni.createFrom().deferred(() -> {
            DenialSketch sketch = byPolicy.get(policy.name());
            Map<String, Long> denials = sketch == null ? Map.of() : sketch.drain(MAX_MOVED);
            return (denials.isEmpty() ? Uni.createFrom().voidItem() : store.add(policy.name(), denials))
                    .chain(() -> store.most(policy.name(), count));
        }).onFailure().transform(MostDenied::unknown);
    }

    private static IllegalStateException unknown(Throwable unavailable) {
        return new IllegalStateException("The denied keys are not known: "
                + unavailable.getMessage() + ". Try again.", unavailable);
    }

    /** Removes what was not moved yet. */
    public void clear() {
        byPolicy.values().forEach(DenialSketch::clear);
    }
}
