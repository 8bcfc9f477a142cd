package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.KeyLayout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.denials.MostDenied;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.limits.StoredOverride;
import io.quarkiverse.ratelimit.runtime.engine.pauses.PausedBuckets;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchedPermits;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Changes limits and usage at run time, and blocks keys, on all instances. */
public record Administration(LimitStore shared, LocalStore local, Overrides overrides, PausedBuckets buckets,
        DenialCache denials, PrefetchedPermits prefetched, MostDenied denied) {

    /** Largest number of blocked keys that are listed, and of denied keys that are searched for those that a penalty blocks. */
    private static final int MAX_BLOCKED = 300;

    /** @param key empty for all callers */
    public Uni<Void> override(Policy policy, String key, Map<String, Limit> limits, Duration duration, Change change) {
        return explained(policy, key, "The override is not confirmed",
                overrides.put(policy, key, limits, duration, change).invoke(denials::evictAll));
    }

    /** @param key empty for all callers */
    public Uni<Void> removeOverride(Policy policy, String key) {
        return explained(policy, key, "The removal of the override is not confirmed",
                overrides.remove(policy, key).invoke(denials::evictAll));
    }

    /** Puts a policy into shadow mode on all instances, in place of an earlier shadow. */
    public Uni<Void> shadow(Policy policy, Duration time, Change change) {
        return explained(policy, "", "The policy may still deny calls", overrides.shadow(policy, time, change));
    }

    /** Ends the shadow of a policy on all instances. */
    public Uni<Void> enforce(Policy policy) {
        return explained(policy, "", "The policy may still be in shadow mode", overrides.enforce(policy));
    }

    /**
     * Resets what a caller has used of a policy, in all layouts, and unblocks it, on all instances. Fails when Redis is
     * unavailable.
     */
    public Uni<Void> reset(Policy policy, String key) {
        return unblocked(policy, key, policy.limits().stream().flatMap(limit -> Stream.of(KeyLayout.values())
                .map(layout -> PolicyLimit.storedName(limit.name(), layout))), "The caller was reset").replaceWithVoid();
    }

    /** Blocks a caller on all instances, in place of an earlier block that no penalty began. */
    public Uni<Void> block(Policy policy, String key, Duration time, Change change) {
        return explained(policy, key, "The key is blocked only on this instance",
                overrides.block(policy, key, time, change));
    }

    /** Explains the failure of a pause. */
    public Uni<Void> paused(Policy policy, String key, Uni<Void> pause) {
        return explained(policy, key, "The key is paused only on this instance", pause);
    }

    /**
     * Ends the block or pause of a caller on all instances, and removes what its penalty has counted. Empties the buckets that
     * a pause has charged until its end.
     *
     * @param policy in force for the key
     */
    public Uni<Void> unblock(Policy policy, String key) {
        return Uni.createFrom().deferred(() -> overrides.knownPause(policy.name(), key).isZero() ? Uni.createFrom().voidItem()
                : buckets.emptyHere(policy, key))
                .chain(() -> unblocked(policy, key, Stream.of(), "The key was unblocked"))
                .chain(wasPaused -> !wasPaused ? Uni.createFrom().voidItem()
                        : explained(policy, key, "Buckets that the pause has used up are not empty",
                                buckets.emptyNow(policy, key)));
    }

    /** Unblocks the keys that {@link #blocked} lists. */
    public Uni<Void> unblockAll(Policy policy) {
        return blocked(policy).toMulti().flatMap(keys -> Multi.createFrom().iterable(keys)).onItem()
                .transformToUniAndConcatenate(key -> unblock(overrides.inForce(policy, null, key.key()), key.key()))
                .collect().last();
    }

    /** Returns whether there was a pause. */
    private Uni<Boolean> unblocked(Policy policy, String key, Stream<String> limits, String done) {
        StoreRequest request = new StoreRequest(Stream.concat(limits, Stream.of(LimitKey.PENALTY))
                .map(limit -> new LimitOperation(new LimitKey(policy.name(), limit, key), PlainOperation.RESET)).toList());
        return local.decide(request).chain(() -> explained(policy, key, done + " only on this instance",
                overrides.unblock(policy, key).call(() -> shared.decide(request)))).invoke(() -> {
                    denials.evict(policy.name(), key);
                    prefetched.refund(policy.name(), key);
                });
    }

    /** Returns the keys of a policy that were denied most, most denied first. */
    public Uni<List<DeniedKey>> mostDenied(Policy policy, int count) {
        return explained(policy, "", "The keys are not known", denied.mostDenied(policy, count));
    }

    /** Returns the keys of all policies that were denied most, most denied first. */
    public Uni<List<DeniedKey>> mostDenied(Collection<Policy> policies, int count) {
        return Uni.join().all(policies.stream().map(policy -> mostDenied(policy, count)).toList()).andFailFast()
                .map(lists -> lists.stream().flatMap(List::stream).sorted(Comparator.comparing(DeniedKey::denials).reversed()
                        .thenComparing(DeniedKey::policy).thenComparing(DeniedKey::key)).limit(count).toList());
    }

    /** Returns how often a policy denied keys during the last minute. */
    public Uni<Long> denials(Policy policy) {
        return explained(policy, "", "The denials are not known", denied.total(policy));
    }

    /**
     * Returns the blocked keys of a policy, the longest block first. Finds those that its penalty blocks among the keys that
     * it denied during the last minute.
     */
    public Uni<List<Blocked>> blocked(Policy policy) {
        Map<String, StoredOverride> blocks = overrides.blocks(policy).stream()
                .collect(Collectors.toMap(StoredOverride::storedKey, block -> block));
        Map<String, Duration> timesLeft = new ConcurrentHashMap<>();
        blocks.forEach((key, block) -> timesLeft.put(key, block.remainingTime()));
        Uni<List<DeniedKey>> candidates = policy.penalty() == null ? Uni.createFrom().item(List.of())
                : mostDenied(policy, MAX_BLOCKED);
        return candidates.chain(keys -> Uni.join().all(keys.stream().map(key -> blockedByPenalty(policy, key.key())
                .invoke(left -> timesLeft.merge(key.key(), left, LimitUsage::longer))).toList()).andFailFast())
                .map(known -> timesLeft.entrySet().stream()
                        .map(entry -> Blocked.of(entry.getKey(), entry.getValue(), blocks.get(entry.getKey())))
                        .filter(blocked -> !blocked.timeLeft().isZero())
                        .sorted(Comparator.comparing(Blocked::timeLeft).reversed().thenComparing(Blocked::key))
                        .limit(MAX_BLOCKED).toList());
    }

    private Uni<Duration> blockedByPenalty(Policy policy, String key) {
        LimitOperation peek = new LimitOperation(new LimitKey(policy.name(), LimitKey.PENALTY, key),
                policy.penalty().apply(OperationKind.PEEK, 0));
        return explained(policy, key, "It is not known whether the key is blocked",
                shared.decide(new StoreRequest(List.of(peek))).map(reply -> reply.blockedFor(0)));
    }

    /** Evicts what this instance keeps of the keys in the store, after all were removed, and reads the overrides. */
    public Uni<Void> reload() {
        denials.evictAll();
        prefetched.drop();
        overrides.endPauses();
        return overrides.refresh();
    }

    /** @param key empty for all callers */
    private static <T> Uni<T> explained(Policy policy, String key, String consequence, Uni<T> done) {
        return done.onFailure(RedisStoreException.class).transform(failure -> {
            String message = consequence + ": " + failure.getMessage() + ". Try again.";
            boolean isFull = failure.getMessage().contains("TOOMANY");
            return isFull ? new IllegalStateException(message, failure) : new Unconfirmed(policy, key, message);
        });
    }

    private static final class Unconfirmed extends RateLimitUnavailableException {

        private final String message;

        Unconfirmed(Policy policy, String key, String message) {
            super(Decision.uncounted(policy, key, 0, Source.FALLBACK, DenialReason.REDIS_UNAVAILABLE));
            this.message = message;
        }

        @Override
        public String getMessage() {
            return message;
        }
    }

    /** @param change of the block; {@link Change#BY_CODE} for that of a penalty */
    public record Blocked(String key, Duration timeLeft, DenialReason reason, Change change) implements BlockedKey {

        /** @param block {@code null} where a penalty blocks the key */
        private static Blocked of(String key, Duration timeLeft, StoredOverride block) {
            return new Blocked(key, timeLeft, block != null && block.isPause() ? DenialReason.PAUSED : DenialReason.BLOCKED,
                    block == null ? Change.BY_CODE : block.change());
        }
    }
}
