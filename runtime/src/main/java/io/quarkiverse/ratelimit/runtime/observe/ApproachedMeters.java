package io.quarkiverse.ratelimit.runtime.observe;

import jakarta.inject.Singleton;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Counts by policy how often a key approached a limit. */
@Singleton
public class ApproachedMeters implements ApproachedLimits.Listener {

    private final MeterRegistry registry;

    ApproachedMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void expect(Policy policy) {
        counter(policy);
    }

    @Override
    public void approached(Policy policy, RateLimitApproached approached) {
        counter(policy).increment();
    }

    private Counter counter(Policy policy) {
        return Counter.builder("rate.limit.approached").tag("policy", policy.name())
                .description("How often at least warn-at of a limit was used, at most once per minute for a key")
                .register(registry);
    }
}
