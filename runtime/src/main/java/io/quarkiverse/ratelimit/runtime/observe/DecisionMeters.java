package io.quarkiverse.ratelimit.runtime.observe;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.inject.Singleton;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.events.Effect;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Counts decisions by policy. */
@Singleton
public class DecisionMeters implements DecisionObserver {

    /** The most limiters created by code that have their own counters. Code may create one limiter per caller. */
    private static final int MAX_OF_CODE = 100;
    /** The tag value for all other limiters. No policy can have this name. */
    private static final String OTHERS = "(others)";

    private final MeterRegistry registry;
    private final Map<String, PolicyMeters> byPolicy = new ConcurrentHashMap<>();
    private final PolicyMeters others;
    private final Store store;
    private int configured;

    /** Gets the configuration and not the settings, because it is created before them. */
    DecisionMeters(MeterRegistry registry, RateLimitConfig config) {
        this.store = config.store();
        this.registry = registry;
        this.others = new PolicyMeters(registry, OTHERS);
    }

    @Override
    public boolean expect(Collection<Policy> policies) {
        for (Policy policy : policies) {
            PolicyMeters meters = new PolicyMeters(registry, policy.name());
            meters.expect(policy, store);
            byPolicy.put(policy.name(), meters);
        }
        configured = policies.size();
        return true;
    }

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        meters(policy).count(effect, decision == null ? Source.NOT_LIMITED : decision.source());
    }

    @Override
    public void refundLost(String policy) {
        meters(policy).refundLost();
    }

    @Override
    public void paused(String policy) {
        meters(policy).paused();
    }

    private PolicyMeters meters(String policy) {
        PolicyMeters meters = byPolicy.get(policy);
        return meters == null ? metersOfCode(policy) : meters;
    }

    private synchronized PolicyMeters metersOfCode(String policy) {
        return byPolicy.size() - configured >= MAX_OF_CODE ? byPolicy.getOrDefault(policy, others)
                : byPolicy.computeIfAbsent(policy, name -> new PolicyMeters(registry, name));
    }
}
