package io.quarkiverse.ratelimit.runtime.observe;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.engine.events.Effect;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Holds the counters of one policy. Expected counters start at 0, so that the first denial is visible as a change.
 */
final class PolicyMeters {

    private static final Source[] SOURCES = Source.values();
    /** The index of the counters for calls without a decision. */
    private static final int NONE = SOURCES.length;

    private final MeterRegistry registry;
    private final String policy;
    private final Map<Effect, Counter[]> decisions = new EnumMap<>(Effect.class);
    private final Counter fallbacks, lostRefunds;

    PolicyMeters(MeterRegistry registry, String policy) {
        this.registry = registry;
        this.policy = policy;
        for (Effect effect : Effect.values()) {
            decisions.put(effect, new Counter[SOURCES.length + 1]);
        }
        this.fallbacks = Counter.builder("rate.limit.fallbacks").tag("policy", policy)
                .description("Decisions by on-redis-failure, as Redis did not decide").register(registry);
        this.lostRefunds = Counter.builder("rate.limit.refunds.lost").tag("policy", policy)
                .description("Refunds that were given up, as Redis did not reply").register(registry);
    }

    /** @param store where calls are counted */
    void expect(Policy policy, Store store) {
        List<Source> sources = store == Store.MEMORY ? List.of(Source.MEMORY) : List.of(Source.REDIS, Source.FALLBACK);
        for (Source source : sources) {
            counter(Effect.ALLOWED, source.ordinal());
            counter(policy.mode() == Mode.SHADOW ? Effect.SHADOW_DENIED : Effect.DENIED, source.ordinal());
        }
        if (store == Store.REDIS && policy.mode() == Mode.ENFORCE && !policy.denialCache().isZero()) {
            counter(Effect.DENIED, Source.DENIAL_CACHE.ordinal());
        }
        if (store == Store.REDIS && !policy.prefetch().isOff()) {
            counter(Effect.ALLOWED, Source.PREFETCHED.ordinal());
        }
        if (!policy.exempt().areNone() || policy.plans().mayBeUnlimited()) {
            counter(Effect.EXEMPT, NONE);
        }
    }

    /** @param source {@code null} without a decision */
    void count(Effect effect, Source source) {
        counter(effect, source == null ? NONE : source.ordinal()).increment();
        if (source == Source.FALLBACK) {
            fallbacks.increment();
        }
    }

    void refundLost() {
        lostRefunds.increment();
    }

    private Counter counter(Effect effect, int source) {
        Counter[] bySource = decisions.get(effect);
        Counter counter = bySource[source];
        if (counter == null) {
            counter = Counter.builder("rate.limit.decisions")
                    .tags("policy", policy, "outcome", effect.text(), "source",
                            SourceText.of(source == NONE ? null : SOURCES[source]))
                    .description("What policies did to calls").register(registry);
            bySource[source] = counter;
        }
        return counter;
    }
}
