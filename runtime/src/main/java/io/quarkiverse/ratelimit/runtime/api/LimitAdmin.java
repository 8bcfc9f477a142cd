package io.quarkiverse.ratelimit.runtime.api;

import static io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext.keepOnEventLoop;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.admin.Administration;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.smallrye.mutiny.Uni;

/** Shows and overrides the limits in force, blocks keys, and finds the keys that operators look up. */
record LimitAdmin(PolicyLimiters limiters) implements ReactiveRateLimitAdmin {

    private static final int MAX_DENIED = 100;

    @Override
    public Limits policy(String name) {
        return new Limits(limiters.operations(name), null);
    }

    /** @param key {@code null} for all callers */
    record Limits(PolicyOperations operations, PassedKey key) implements PolicyAdmin, KeyAdmin {

        @Override
        public Limits forKey(String... values) {
            return new Limits(operations, operations.keys.readPossible(values));
        }

        @Override
        public Uni<Map<String, Limit>> limits() {
            BeanResolvers resolvers = operations.parts.calls().engine().resolvers();
            return keepOnEventLoop(() -> (key == null ? Uni.createFrom().<Plan> nullItem()
                    : resolvers.shownPlan(operations.policy, key)).map(plan -> {
                        Policy inForce = administration().overrides().inForce(operations.policy, plan, storedKey());
                        SortedMap<String, Limit> byName = new TreeMap<>();
                        if (inForce != null) {
                            inForce.limits().forEach(limit -> byName.put(limit.name(), limit.limit()));
                        }
                        return Collections.unmodifiableSortedMap(byName);
                    }));
        }

        @Override
        public Uni<Void> override(Limit limit) {
            return override(limit, Overrides.UNTIL_REMOVED);
        }

        @Override
        public Uni<Void> override(Limit limit, Duration duration) {
            return override(() -> RateLimitPlan.of(limit), duration);
        }

        @Override
        public Uni<Void> override(Map<String, Limit> limits) {
            return override(limits, Overrides.UNTIL_REMOVED);
        }

        @Override
        public Uni<Void> override(Map<String, Limit> limits, Duration duration) {
            return override(() -> RateLimitPlan.of(limits), duration);
        }

        private Uni<Void> override(Supplier<RateLimitPlan> limits, Duration duration) {
            return keepOnEventLoop(() -> administration().override(operations.policy, storedKey(),
                    Plan.limits(limits.get(), operations.policy), duration == Overrides.UNTIL_REMOVED ? duration
                            : Arguments.time("duration", duration, Duration.ofSeconds(1))));
        }

        @Override
        public Uni<Void> removeOverride() {
            return keepOnEventLoop(() -> administration().removeOverride(operations.policy, storedKey()));
        }

        @Override
        public Uni<List<RateLimitOverride>> overrides() {
            return keepOnEventLoop(() -> Uni.createFrom()
                    .item(List.copyOf(administration().overrides().overrides(operations.policy))));
        }

        @Override
        public Uni<List<DeniedKey>> mostDenied(int count) {
            return keepOnEventLoop(() -> {
                if (count < 1 || count > MAX_DENIED) {
                    throw new IllegalArgumentException("count must be 1 to " + MAX_DENIED + ", but is " + count);
                }
                return administration().denied().mostDenied(operations.policy, count);
            });
        }

        @Override
        public Uni<List<BlockedKey>> blocked() {
            return keepOnEventLoop(() -> administration().blocked(operations.policy));
        }

        @Override
        public Uni<Void> block(Duration time) {
            return operations.limiter(key).block(time);
        }

        @Override
        public Uni<Void> unblock() {
            return operations.limiter(key).unblock();
        }

        @Override
        public Uni<Void> reset() {
            return operations.limiter(key).reset();
        }

        private Administration administration() {
            return operations.parts.administration();
        }

        private String storedKey() {
            return key == null ? "" : key.stored();
        }
    }
}
