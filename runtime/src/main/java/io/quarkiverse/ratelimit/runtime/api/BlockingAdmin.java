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
public class BlockingAdmin implements RateLimitAdmin {

    private final ReactiveRateLimitAdmin reactive;

    BlockingAdmin(ReactiveRateLimitAdmin reactive) {
        this.reactive = reactive;
    }

    @Override
    public Map<String, Limit> limits(String policy) {
        return Await.result(reactive.limits(policy));
    }

    @Override
    public Map<String, Limit> limits(String policy, String key) {
        return Await.result(reactive.limits(policy, key));
    }

    @Override
    public Map<String, Limit> limits(String policy, List<String> key) {
        return Await.result(reactive.limits(policy, key));
    }

    @Override
    public void override(String policy, Limit limit) {
        Await.result(reactive.override(policy, limit));
    }

    @Override
    public void override(String policy, Limit limit, Duration duration) {
        Await.result(reactive.override(policy, limit, duration));
    }

    @Override
    public void override(String policy, Map<String, Limit> limits) {
        Await.result(reactive.override(policy, limits));
    }

    @Override
    public void override(String policy, Map<String, Limit> limits, Duration duration) {
        Await.result(reactive.override(policy, limits, duration));
    }

    @Override
    public void override(String policy, List<String> key, Limit limit) {
        Await.result(reactive.override(policy, key, limit));
    }

    @Override
    public void override(String policy, List<String> key, Limit limit, Duration duration) {
        Await.result(reactive.override(policy, key, limit, duration));
    }

    @Override
    public void override(String policy, List<String> key, Map<String, Limit> limits) {
        Await.result(reactive.override(policy, key, limits));
    }

    @Override
    public void override(String policy, List<String> key, Map<String, Limit> limits, Duration duration) {
        Await.result(reactive.override(policy, key, limits, duration));
    }

    @Override
    public void removeOverride(String policy) {
        Await.result(reactive.removeOverride(policy));
    }

    @Override
    public void removeOverride(String policy, String key) {
        Await.result(reactive.removeOverride(policy, key));
    }

    @Override
    public void removeOverride(String policy, List<String> key) {
        Await.result(reactive.removeOverride(policy, key));
    }

    @Override
    public List<RateLimitOverride> overrides(String policy) {
        return Await.result(reactive.overrides(policy));
    }

    @Override
    public List<DeniedKey> mostDenied(String policy, int count) {
        return Await.result(reactive.mostDenied(policy, count));
    }

    @Override
    public List<BlockedKey> blocked(String policy) {
        return Await.result(reactive.blocked(policy));
    }

    @Override
    public ReactiveRateLimitAdmin reactive() {
        return reactive;
    }
}
