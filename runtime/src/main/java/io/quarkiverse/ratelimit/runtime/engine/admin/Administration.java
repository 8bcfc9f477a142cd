package io.quarkiverse.ratelimit.runtime.engine.admin;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchedPermits;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.smallrye.mutiny.Uni;

/** Changes limits and usage at run time, and blocks keys, on all instances. */
public record Administration(LimitStore shared, LocalStore local, Overrides overrides, DenialCache denials,
        PrefetchedPermits prefetched, MostDenied denied) {

    /** The most blocked keys that are listed, and the most denied keys among which those that a penalty blocks are found. */
    private static final int MAX_BLOCKED = 300;
    private static final Comparator<BlockedKey> LONGEST_FIRST = Comparator.comparing(BlockedKey::timeLeft).reversed()
            .thenComparing(BlockedKey::key);

    /** @param key empty for all callers */
    public Uni<Void> override(Policy policy, String key, Map<String, Limit> limits, Duration duration) {
        return explained(policy, key, "The override is not confirmed",
                overrides.put(policy, key, limits, duration).invoke(denials::evictAll));
    }

    /** @param key empty for all callers */
    public Uni<Void> removeOverride(Policy policy, String key) {
        return explained(policy, key, "The removal of the override is not confirmed",
                overrides.remove(policy, key).invoke(denials::evictAll));
    }

    /** Resets what a caller has used of a policy, and unblocks it, on all instances. Fails when Redis is unavailable. */
    public Uni<Void> reset(Policy policy, String key) {
        return unblocked(policy, key, policy.limits().stream().map(PolicyLimit::name), "The caller was reset");
    }

    /** Blocks a caller on all instances, in place of an earlier block by code. */
    public Uni<Void> block(Policy policy, String key, Duration time) {
        return explained(policy, key, "The key is blocked only on this instance", overrides.block(policy, key, time));
    }

    /** Ends the block of a caller on all instances, and removes what its penalty has counted. */
    public Uni<Void> unblock(Policy policy, String key) {
        return unblocked(policy, key, Stream.of(), "The key was unblocked");
    }

    private Uni<Void> unblocked(Policy policy, String key, Stream<String> limits, String done) {
        StoreRequest request = new StoreRequest(Stream.concat(limits, Stream.of(LimitKey.PENALTY))
                .map(limit -> new LimitOperation(new LimitKey(policy.name(), limit, key), PlainOperation.RESET)).toList());
        return local.decide(request).chain(() -> explained(policy, key, done + " only on this instance",
                overrides.unblock(policy, key).chain(() -> shared.decide(request)))).invoke(() -> {
                    denials.evict(policy.name(), key);
                    prefetched.refund(policy.name(), key);
                }).replaceWithVoid();
    }

    /**
     * The blocked keys of a policy, the longest block first. Finds those that its penalty blocks among the keys that it denied
     * during the last minute.
     */
    public Uni<List<BlockedKey>> blocked(Policy policy) {
        Map<String, Duration> timesLeft = overrides.blocks(policy);
        Uni<List<DeniedKey>> candidates = policy.penalty() == null ? Uni.createFrom().item(List.of())
                : denied.mostDenied(policy, MAX_BLOCKED);
        return candidates.chain(keys -> Uni.join().all(keys.stream().map(key -> blockedByPenalty(policy, key.key())
                .invoke(left -> timesLeft.merge(key.key(), left, LimitUsage::longer))).toList()).andFailFast())
                .map(known -> timesLeft.entrySet().stream().map(entry -> blocked(policy, entry.getKey(), entry.getValue()))
                        .filter(blocked -> !blocked.timeLeft().isZero()).sorted(LONGEST_FIRST).limit(MAX_BLOCKED).toList());
    }

    private BlockedKey blocked(Policy policy, String key, Duration timeLeft) {
        boolean paused = !overrides.pausedFor(policy.name(), key).isZero();
        return new Blocked(key, timeLeft, paused ? DenialReason.PAUSED : DenialReason.BLOCKED);
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
        return overrides.refresh();
    }

    /** @param key empty for all callers */
    static <T> Uni<T> explained(Policy policy, String key, String consequence, Uni<T> done) {
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

    private record Blocked(String key, Duration timeLeft, DenialReason reason) implements BlockedKey {
    }
}
