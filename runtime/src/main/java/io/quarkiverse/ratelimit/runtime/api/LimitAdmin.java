package io.quarkiverse.ratelimit.runtime.api;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.engine.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.KeyAdministration;
import io.quarkiverse.ratelimit.runtime.engine.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.engine.MostDenied;
import io.quarkiverse.ratelimit.runtime.engine.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.LimitsByName;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.smallrye.mutiny.Uni;

/** Shows and overrides the limits in force, and finds the keys that operators look up. */
@Singleton
public class LimitAdmin implements KeyAdministration {

    private static final int MAX_DENIED = 100;
    private static final Comparator<BlockedKey> LONGEST_FIRST = Comparator.comparing(BlockedKey::timeLeft).reversed()
            .thenComparing(BlockedKey::key);

    private final PolicyLimiters limiters;
    private final LimitsInForce limits;
    private final Administration administration;
    private final MostDenied denied;

    LimitAdmin(PolicyLimiters limiters, LimitsInForce limits, Administration administration, MostDenied denied) {
        this.limiters = limiters;
        this.limits = limits;
        this.administration = administration;
        this.denied = denied;
    }

    @Override
    public Uni<Map<String, Limit>> limits(String policy) {
        return later(() -> Uni.createFrom().item(byName(limits.of(policy(policy), null, null).limits())));
    }

    @Override
    public Uni<Map<String, Limit>> limits(String policy, String key) {
        return limits(policy, Collections.singletonList(key));
    }

    @Override
    public Uni<Map<String, Limit>> limits(String policy, List<String> key) {
        return later(() -> limits.limits(policy(policy), key(policy, key)).map(LimitAdmin::byName));
    }

    @Override
    public Uni<Void> override(String policy, Limit limit) {
        return override(policy, limit, Overrides.UNTIL_REMOVED);
    }

    @Override
    public Uni<Void> override(String policy, Limit limit, Duration duration) {
        return later(() -> administration.override(policy(policy), null, LimitsByName.only(policy(policy), limit),
                Arguments.overrideDuration(duration)));
    }

    @Override
    public Uni<Void> override(String policy, Map<String, Limit> limits) {
        return override(policy, limits, Overrides.UNTIL_REMOVED);
    }

    @Override
    public Uni<Void> override(String policy, Map<String, Limit> limits, Duration duration) {
        return later(() -> administration.override(policy(policy), null, LimitsByName.known(policy(policy), limits),
                Arguments.overrideDuration(duration)));
    }

    @Override
    public Uni<Void> override(String policy, List<String> key, Limit limit) {
        return override(policy, key, limit, Overrides.UNTIL_REMOVED);
    }

    @Override
    public Uni<Void> override(String policy, List<String> key, Limit limit, Duration duration) {
        return later(() -> override(policy, key(policy, key), LimitsByName.only(policy(policy), limit), duration));
    }

    @Override
    public Uni<Void> override(String policy, List<String> key, Map<String, Limit> limits) {
        return override(policy, key, limits, Overrides.UNTIL_REMOVED);
    }

    @Override
    public Uni<Void> override(String policy, List<String> key, Map<String, Limit> limits, Duration duration) {
        return later(() -> override(policy, key(policy, key), LimitsByName.known(policy(policy), limits), duration));
    }

    @Override
    public Uni<Void> override(String policy, PassedKey key, Map<String, Limit> limits, Duration duration) {
        return later(() -> administration.override(policy(policy), key.stored(), limits, Arguments.overrideDuration(duration)));
    }

    @Override
    public Uni<Void> removeOverride(String policy) {
        return later(() -> administration.removeOverride(policy(policy), null));
    }

    @Override
    public Uni<Void> removeOverride(String policy, String key) {
        return removeOverride(policy, Collections.singletonList(key));
    }

    @Override
    public Uni<Void> removeOverride(String policy, List<String> key) {
        return later(() -> removeOverride(policy, key(policy, key)));
    }

    @Override
    public Uni<Void> removeOverride(String policy, PassedKey key) {
        return later(() -> administration.removeOverride(policy(policy), key.stored()));
    }

    @Override
    public Uni<List<RateLimitOverride>> overrides(String policy) {
        return later(() -> Uni.createFrom().item(List.copyOf(administration.overrides(policy(policy)))));
    }

    @Override
    public Uni<List<DeniedKey>> mostDenied(String policy, int count) {
        return later(() -> {
            if (count < 1 || count > MAX_DENIED) {
                throw new IllegalArgumentException("count must be 1 to " + MAX_DENIED + ", but is " + count);
            }
            return denied.of(policy(policy), count);
        });
    }

    @Override
    public Uni<List<BlockedKey>> blocked(String policy) {
        return later(() -> denied.blocked(policy(policy)).chain(keys -> keys.isEmpty()
                ? Uni.createFrom().item(List.<Blocked> of())
                : Uni.join().all(keys.stream().map(key -> blocked(policy, key)).toList()).andFailFast())
                .map(found -> found.stream().filter(key -> !key.timeLeft().isZero()).sorted(LONGEST_FIRST)
                        .map(BlockedKey.class::cast).toList()));
    }

    /** It may be unblocked since, or blocked for another time. */
    private Uni<Blocked> blocked(String policy, String key) {
        return administration.blockedFor(policy(policy), key).map(left -> new Blocked(key, left));
    }

    @Override
    public Uni<Duration> blockedFor(String policy, PassedKey key) {
        return later(() -> administration.blockedFor(policy(policy), key.stored()));
    }

    @Override
    public PassedKey key(String policy, List<String> values) {
        return limiters.operations(policy).keys().ofOperator(values);
    }

    @Override
    public PassedKey storedKey(String policy, String stored) {
        return limiters.operations(policy).keys().stored(stored);
    }

    @Override
    public ReactiveRateLimiter limiter(String policy, PassedKey key) {
        return new KeyedLimiter(limiters.operations(policy), key);
    }

    private record Blocked(String key, Duration timeLeft) implements BlockedKey {
    }

    private static <T> Uni<T> later(Supplier<Uni<? extends T>> operation) {
        return CallerContext.keepOnEventLoop(operation);
    }

    private Policy policy(String name) {
        return limiters.operations(name).policy();
    }

    private static SortedMap<String, Limit> byName(List<PolicyLimit> limits) {
        SortedMap<String, Limit> byName = new TreeMap<>();
        limits.forEach(limit -> byName.put(limit.name(), limit.limit()));
        return Collections.unmodifiableSortedMap(byName);
    }
}
