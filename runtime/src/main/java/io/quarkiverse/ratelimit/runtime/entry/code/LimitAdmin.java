package io.quarkiverse.ratelimit.runtime.entry.code;

import static io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext.keepOnEventLoop;
import static java.util.Objects.requireNonNullElse;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.engine.Arguments;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.smallrye.mutiny.Uni;

/** Shows and overrides the limits in force, blocks keys, and finds the keys that operators look up. */
record LimitAdmin(Function<String, PolicyOperations> limiters, PolicyOperations.Parts parts) implements ReactiveRateLimitAdmin {

    private static final int MAX_DENIED = 100;

    @Override
    public Limits policy(String name) {
        return new Limits(limiters.apply(name), null);
    }

    @Override
    public Uni<List<DeniedKey>> mostDenied(int count) {
        return keepOnEventLoop(() -> parts.administration().mostDenied(parts.settings().policies().values(), checked(count)));
    }

    private static int checked(int count) {
        if (count < 1 || count > MAX_DENIED) {
            throw new IllegalArgumentException("count must be 1 to " + MAX_DENIED + ", but is " + count);
        }
        return count;
    }

    /** @param key {@code null} for all callers */
    record Limits(PolicyOperations operations, PassedKey key) implements PolicyAdmin, KeyAdmin {

        @Override
        public Limits forKey(String... values) {
            return new Limits(operations, operations.keys.readPossible(values));
        }

        @Override
        public Uni<Map<String, Limit>> limits() {
            return keepOnEventLoop(() -> inForce().map(inForce -> {
                SortedMap<String, Limit> byName = new TreeMap<>();
                if (inForce != null) {
                    inForce.limits().forEach(limit -> byName.put(limit.name(), limit.limit()));
                }
                return Collections.unmodifiableSortedMap(byName);
            }));
        }

        /** Returns the policy in force, under a plan that can be known without a request; {@code null} if it limits nobody. */
        private Uni<Policy> inForce() {
            BeanResolvers resolvers = operations.parts.engine().resolvers();
            return (key == null ? Uni.createFrom().<Plan> nullItem() : resolvers.shownPlan(operations.policy, key))
                    .map(plan -> administration().overrides().inForce(operations.policy, plan, storedKey()));
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
                    operations.policy.limitsOf(limits.get()), duration == Overrides.UNTIL_REMOVED ? duration
                            : Arguments.time("duration", duration, Duration.ofSeconds(1)),
                    Change.BY_CODE));
        }

        @Override
        public Uni<Void> removeOverride() {
            return keepOnEventLoop(() -> administration().removeOverride(operations.policy, storedKey()));
        }

        @Override
        public Uni<Void> shadow(Duration duration) {
            return keepOnEventLoop(() -> administration().shadow(operations.policy,
                    Arguments.time("duration", duration, Duration.ofSeconds(1)), Change.BY_CODE));
        }

        @Override
        public Uni<Void> enforce() {
            return keepOnEventLoop(() -> administration().enforce(operations.policy));
        }

        @Override
        public Uni<List<RateLimitOverride>> overrides() {
            return keepOnEventLoop(() -> Uni.createFrom()
                    .item(List.copyOf(administration().overrides().overrides(operations.policy))));
        }

        @Override
        public Uni<List<DeniedKey>> mostDenied(int count) {
            return keepOnEventLoop(() -> administration().mostDenied(operations.policy, checked(count)));
        }

        @Override
        public Uni<List<BlockedKey>> blocked() {
            return keepOnEventLoop(() -> administration().blocked(operations.policy).map(List::copyOf));
        }

        @Override
        public Uni<Void> block(Duration time) {
            return new KeyedLimiter(operations, key).block(time);
        }

        @Override
        public Uni<Void> unblock() {
            return keepOnEventLoop(() -> inForce().chain(inForce -> administration()
                    .unblock(requireNonNullElse(inForce, operations.policy), storedKey())));
        }

        @Override
        public Uni<Void> reset() {
            return new KeyedLimiter(operations, key).reset();
        }

        private Administration administration() {
            return operations.parts.administration();
        }

        private String storedKey() {
            return key == null ? "" : key.stored();
        }
    }
}
