package io.quarkiverse.ratelimit.runtime.observe;

import java.util.List;
import java.util.Locale;

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
