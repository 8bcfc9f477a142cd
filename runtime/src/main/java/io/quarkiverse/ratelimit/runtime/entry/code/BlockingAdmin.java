package io.quarkiverse.ratelimit.runtime.entry.code;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.Await;

/** Waits for the results of the reactive administration. */
record BlockingAdmin(LimitAdmin reactive) implements RateLimitAdmin {

    @Override
    public PolicyAdmin policy(String name) {
        return new Limits(reactive.policy(name));
    }

    @Override
    public List<DeniedKey> mostDenied(int count) {
        return Await.result(reactive.mostDenied(count));
    }

    private record Limits(LimitAdmin.Limits reactive) implements PolicyAdmin, KeyAdmin {

        @Override
        public KeyAdmin forKey(String... values) {
            return new Limits(reactive.forKey(values));
        }

        @Override
        public Map<String, Limit> limits() {
            return Await.result(reactive.limits());
        }

        @Override
        public void override(Limit limit) {
            Await.result(reactive.override(limit));
        }

        @Override
        public void override(Limit limit, Duration duration) {
            Await.result(reactive.override(limit, duration));
        }

        @Override
        public void override(Map<String, Limit> limits) {
            Await.result(reactive.override(limits));
        }

        @Override
        public void override(Map<String, Limit> limits, Duration duration) {
            Await.result(reactive.override(limits, duration));
        }

        @Override
        public void removeOverride() {
            Await.result(reactive.removeOverride());
        }

        @Override
        public void shadow(Duration duration) {
            Await.result(reactive.shadow(duration));
        }

        @Override
        public void enforce() {
            Await.result(reactive.enforce());
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
