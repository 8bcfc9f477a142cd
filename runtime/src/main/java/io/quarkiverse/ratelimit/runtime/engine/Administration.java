package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.runtime.algorithm.BlockOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.ResetOperation;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;

/** Changes limits and usage at run time, on all instances. */
public final class Administration {

    private final LimitStore shared;
    private final LocalStore local;
    private final Overrides overrides;
    private final DenialCache denials;
    private final PrefetchedPermits prefetched;
    private final MostDenied denied;

    public Administration(LimitStore shared, LocalStore local, Overrides overrides, DenialCache denials,
            PrefetchedPermits prefetched, MostDenied denied) {
        this.denied = denied;
        this.prefetched = prefetched;
        this.shared = shared;
        this.local = local;
        this.overrides = overrides;
        this.denials = denials;
    }

    /**
     * Overrides limits by name.
     *
     * @param key {@code null} for all callers
     * @param duration may be {@link Overrides#UNTIL_REMOVED}
     */
    public Uni<Void> override(Policy policy, String key, Map<String, Limit> limits, Duration duration) {
        return explained("The override is not confirmed",
                overrides.put(policy, key, limits, duration)
                        .invoke(denials::evictAll));
    }

    /** @param key {@code null} for all callers */
    public Uni<Void> removeOverride(Policy policy, String key) {
        return explained("The removal of the override is not confirmed",
                overrides.remove(policy, key).invoke(denials::evictAll));
    }

    /** All overrides of a policy: first the one for all callers, then those by caller. */
    public List<? extends RateLimitOverride> overrides(Policy policy) {
        return overrides.of(policy);
    }

    /** Reads the overrides now if they have changed. */
    public Uni<Void> refreshOverrides() {
        return overrides.refresh();
    }

    /**
     * Resets what a caller has used of a policy, and unblocks it, in Redis and in this instance. Fails when Redis is
     * unavailable.
     */
    public Uni<Void> reset(Policy policy, String key) {
        List<LimitOperation> operations = new ArrayList<>(policy.limits().size() + 1);
        for (PolicyLimit limit : policy.limits()) {
            operations.add(new LimitOperation(limit.name(), new ResetOperation()));
        }
        operations.add(new LimitOperation(LimitOperation.PENALTY, new ResetOperation()));
        return changed(policy, key, operations, "The caller's limits were reset only in this instance").replaceWithVoid();
    }

    /** Blocks a caller on all instances, in place of a running block. */
    public Uni<Void> block(Policy policy, String key, Duration time) {
        return explained("The block is not confirmed", overrides.checkBlocks(policy, time))
                .chain(() -> changed(policy, key,
                        List.of(new LimitOperation(LimitOperation.PENALTY, new BlockOperation(time))),
                        "The key was blocked only in this instance"))
                .chain(reply -> denied.blocked(policy.name(), key, reply.time() + time.toNanos() / 1_000)
                        // the list of blocked keys gets the caller when it calls
                        .onFailure().recoverWithNull());
    }

    /** How long a caller is still blocked, also by a policy in shadow mode; zero if it is not blocked. */
    public Uni<Duration> blockedFor(Policy policy, String key) {
        LimitOperation peek = new LimitOperation(LimitOperation.PENALTY, Penalty.BY_CODE.apply(OperationKind.PEEK, 0));
        return explained("It is not known whether the key is blocked",
                shared.decide(new StoreRequest(PolicyRequest.of(policy, key, List.of(peek))))
                        .map(reply -> reply.blockedFor(0)));
    }

    /** Ends the block of a caller on all instances, and removes what its penalty has counted. */
    public Uni<Void> unblock(Policy policy, String key) {
        return changed(policy, key, List.of(new LimitOperation(LimitOperation.PENALTY, new ResetOperation())),
                "The key was unblocked only in this instance").replaceWithVoid();
    }

    private Uni<StoreReply> changed(Policy policy, String key, List<LimitOperation> operations, String otherwise) {
        StoreRequest request = new StoreRequest(PolicyRequest.of(policy, key, operations));
        return local.decide(request).chain(() -> explained(otherwise, shared.decide(request))).invoke(() -> {
            denials.evict(policy.name(), key);
            prefetched.refund(policy.name(), key);
        });
    }

    /** Evicts all cached denials. */
    public void evictDenials() {
        denials.evictAll();
    }

    /** Drops all permits that were acquired ahead, after their keys were removed from Redis. */
    public void dropPrefetched() {
        prefetched.drop();
    }

    private static <T> Uni<T> explained(String consequence, Uni<T> done) {
        return done.onFailure().transform(failure -> new IllegalStateException(
                consequence + ": " + failure.getMessage() + ". Try again.", failure));
    }
}
