package io.quarkiverse.ratelimit.runtime.api;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.runtime.engine.Await;

/** Waits for the results of the reactive administration. */
@Singleton
public record BlockingAdmin(ReactiveRateLimitAdmin reactive) implements RateLimitAdmin {

    @Override
    public PolicyAdmin policy(String name) {
        return new OfPolicy(reactive.policy(name));
    }

    private interface OfLimits extends LimitsAdmin {

        ReactiveRateLimitAdmin.LimitsAdmin reactive();

        @Override
        default Map<String, Limit> limits() {
            return Await.result(reactive().limits());
        }

        @Override
        default void override(Limit limit) {
            Await.result(reactive().override(limit));
        }

        @Override
        default void override(Limit limit, Duration duration) {
            Await.result(reactive().override(limit, duration));
        }

        @Override
        default void override(Map<String, Limit> limits) {
            Await.result(reactive().override(limits));
        }

        @Override
        default void override(Map<String, Limit> limits, Duration duration) {
            Await.result(reactive().override(limits, duration));
        }

        @Override
        default void removeOverride() {
            Await.result(reactive().removeOverride());
        }
    }

    private record OfPolicy(ReactiveRateLimitAdmin.PolicyAdmin reactive) implements OfLimits, PolicyAdmin {

        @Override
        public KeyAdmin forKey(String... values) {
            return new OfKey(reactive.forKey(values));
        }

        @Override
        public List<RateLimitOverride> overrides() {
            return Await.result(reactive.overrides());
        }

        @Override
        public List<DeniedKey> mostDenied(int count) {
            return Await.result(reactive.mostDenied(count));
        }

        @Override
        public List<BlockedKey> blocked() {
            return Await.result(reactive.blocked());
        }
    }

    private record OfKey(ReactiveRateLimitAdmin.KeyAdmin reactive) implements OfLimits, KeyAdmin {

        @Override
        public void block(Duration time) {
            Await.result(reactive.block(time));
        }

        @Override
        public void unblock() {
            Await.result(reactive.unblock());
        }

        @Override
        public void reset() {
            Await.result(reactive.reset());
        }
    }
}
