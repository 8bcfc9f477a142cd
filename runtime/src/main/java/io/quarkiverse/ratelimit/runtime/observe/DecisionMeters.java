package io.quarkiverse.ratelimit.runtime.observe;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.inject.Singleton;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
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

    /**
     * Holds the counters of one policy. Expected counters start at 0, so that the first denial is visible as a change.
     */
    private static final class PolicyMeters {

        private final MeterRegistry registry;
        private final String policy;
        private final Counter[][] decisions = new Counter[Effect.values().length][Source.values().length];
        private final Counter fallbacks, lostRefunds;

        PolicyMeters(MeterRegistry registry, String policy) {
            this.registry = registry;
            this.policy = policy;
            this.fallbacks = Counter.builder("rate.limit.fallbacks").tag("policy", policy)
                    .description("Decisions by on-redis-failure, as Redis did not decide").register(registry);
            this.lostRefunds = Counter.builder("rate.limit.refunds.lost").tag("policy", policy)
                    .description("Refunds that were given up, as Redis did not reply").register(registry);
        }

        /** @param store where calls are counted */
        void expect(Policy policy, Store store) {
            List<Source> sources = store == Store.MEMORY ? List.of(Source.MEMORY) : List.of(Source.REDIS, Source.FALLBACK);
            for (Source source : sources) {
                counter(Effect.ALLOWED, source);
                counter(policy.mode() == Mode.SHADOW ? Effect.SHADOW_DENIED : Effect.DENIED, source);
            }
            if (store == Store.REDIS && policy.mode() == Mode.ENFORCE && !policy.denialCache().isZero()) {
                counter(Effect.DENIED, Source.DENIAL_CACHE);
            }
            if (store == Store.REDIS && !policy.prefetch().isOff()) {
                counter(Effect.ALLOWED, Source.PREFETCHED);
            }
            if (!policy.exempt().areNone() || policy.plans().mayBeUnlimited()) {
                counter(Effect.EXEMPT, Source.NOT_LIMITED);
            }
            if (!policy.obeyRetryAfter().isZero()) {
                pauses();
            }
        }

        void count(Effect effect, Source source) {
            counter(effect, source).increment();
            if (source == Source.FALLBACK) {
                fallbacks.increment();
            }
        }

        void refundLost() {
            lostRefunds.increment();
        }

        void paused() {
            pauses().increment();
        }

        private Counter pauses() {
            return Counter.builder("rate.limit.pauses").tag("policy", policy)
                    .description("Pauses for which called services asked").register(registry);
        }

        private Counter counter(Effect effect, Source source) {
            Counter[] bySource = decisions[effect.ordinal()];
            Counter counter = bySource[source.ordinal()];
            if (counter == null) {
                counter = Counter.builder("rate.limit.decisions")
                        .tags("policy", policy, "outcome", effect.text(), "source", source.name().toLowerCase(Locale.ROOT))
                        .description("What policies did to calls").register(registry);
                bySource[source.ordinal()] = counter;
            }
            return counter;
        }
    }

    /** Counts by policy how often a key approached a limit. */
    @Singleton
    public static class OfApproachedLimits implements ApproachedLimits.Listener {

        private final MeterRegistry registry;

        OfApproachedLimits(MeterRegistry registry) {
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
}
