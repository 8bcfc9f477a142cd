package io.quarkiverse.ratelimit.runtime.api;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
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
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.admin.Administration;
import io.quarkiverse.ratelimit.runtime.engine.admin.MostDenied;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.limits.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.LimitsByName;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.smallrye.mutiny.Uni;

/** Shows and overrides the limits in force, blocks keys, and finds the keys that operators look up. */
@Singleton
public class LimitAdmin implements ReactiveRateLimitAdmin {

    private static final int MAX_DENIED = 100;

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
    public PolicyAdmin policy(String name) {
        return new OfPolicy(limiters.operations(name));
    }

    private static <T> Uni<T> later(Supplier<Uni<? extends T>> operation) {
        return CallerContext.keepOnEventLoop(operation);
    }

    private abstract class OfLimits implements LimitsAdmin {

        final PolicyOperations operations;
        final Policy policy;
        /** Empty for all callers. */
        private final String key;

        OfLimits(PolicyOperations operations, String key) {
            this.operations = operations;
            this.policy = operations.policy();
            this.key = key;
        }

        abstract Uni<List<PolicyLimit>> inForce();

        @Override
        public Uni<Map<String, Limit>> limits() {
            return later(() -> inForce().map(limits -> {
                SortedMap<String, Limit> byName = new TreeMap<>();
                limits.forEach(limit -> byName.put(limit.name(), limit.limit()));
                return Collections.unmodifiableSortedMap(byName);
            }));
        }

        @Override
        public Uni<Void> override(Limit limit) {
            return override(limit, Overrides.UNTIL_REMOVED);
        }

        @Override
        public Uni<Void> override(Limit limit, Duration duration) {
            return overridden(() -> LimitsByName.only(policy, limit), duration);
        }

        @Override
        public Uni<Void> override(Map<String, Limit> limits) {
            return override(limits, Overrides.UNTIL_REMOVED);
        }

        @Override
        public Uni<Void> override(Map<String, Limit> limits, Duration duration) {
            return overridden(() -> LimitsByName.known(policy, limits), duration);
        }

        private Uni<Void> overridden(Supplier<Map<String, Limit>> limits, Duration duration) {
            return later(() -> administration.override(policy, key, limits.get(), Arguments.overrideDuration(duration)));
        }

        @Override
        public Uni<Void> removeOverride() {
            return later(() -> administration.removeOverride(policy, key));
        }
    }

    private final class OfPolicy extends OfLimits implements PolicyAdmin {

        OfPolicy(PolicyOperations operations) {
            super(operations, "");
        }

        @Override
        Uni<List<PolicyLimit>> inForce() {
            return Uni.createFrom().item(limits.inForce(policy, null, "").limits());
        }

        @Override
        public KeyAdmin forKey(String... values) {
            return new OfKey(operations, operations.keys().ofOperator(values == null ? null : Arrays.asList(values)));
        }

        @Override
        public Uni<List<RateLimitOverride>> overrides() {
            return later(() -> Uni.createFrom().item(List.copyOf(administration.overrides(policy))));
        }

        @Override
        public Uni<List<DeniedKey>> mostDenied(int count) {
            return later(() -> {
                if (count < 1 || count > MAX_DENIED) {
                    throw new IllegalArgumentException("count must be 1 to " + MAX_DENIED + ", but is " + count);
                }
                return denied.mostDenied(policy, count);
            });
        }

        @Override
        public Uni<List<BlockedKey>> blocked() {
            return later(() -> administration.blocked(policy));
        }
    }

    private final class OfKey extends OfLimits implements KeyAdmin {

        private final PassedKey key;
        private final KeyedLimiter limiter;

        OfKey(PolicyOperations operations, PassedKey key) {
            super(operations, key.stored());
            this.key = key;
            this.limiter = new KeyedLimiter(operations, key);
        }

        @Override
        Uni<List<PolicyLimit>> inForce() {
            return limits.limits(policy, key);
        }

        @Override
        public Uni<Void> block(Duration time) {
            return limiter.block(time);
        }

        @Override
        public Uni<Void> unblock() {
            return limiter.unblock();
        }

        @Override
        public Uni<Void> reset() {
            return limiter.reset();
        }
    }
}
