package io.quarkiverse.ratelimit.runtime.observe;

import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Singleton;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.engine.TimedStore.RedisObserver;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException.RedisResult;

/** Counts decisions by policy, and measures the duration of requests to Redis by result. */
@Singleton
public class LimiterMeters implements DecisionObserver, ApproachedLimits.Listener, RedisObserver {

    /** The most limiters created by code that have their own counters. Code may create one limiter per caller. */
    private static final int MAX_OF_CODE = 100;
    /** The tag value for all other limiters. No policy can have this name. */
    private static final String OTHERS = "(others)";

    private final MeterRegistry registry;
    private final Map<RedisResult, Timer> redis = new EnumMap<>(RedisResult.class);
    private final Map<String, PolicyMeters> byPolicy = new ConcurrentHashMap<>();
    private final PolicyMeters others;
    private final Store store;
    private int configured;

    /** Gets the configuration and not the settings, because it is created before them. */
    LimiterMeters(MeterRegistry registry, RateLimitConfig config) {
        this.registry = registry;
        this.store = config.store();
        this.others = new PolicyMeters(OTHERS);
        if (store == Store.REDIS) {
            for (RedisResult result : RedisResult.values()) {
                redis.put(result, Timer.builder("rate.limit.redis").tag("result", tag(result))
                        .description("How long the rate limiter's Redis takes to reply").register(registry));
            }
        }
    }

    @Override
    public boolean expect(Collection<Policy> policies) {
        for (Policy policy : policies) {
            PolicyMeters meters = new PolicyMeters(policy.name());
            meters.expect(policy);
            byPolicy.put(policy.name(), meters);
        }
        configured = policies.size();
        return true;
    }

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        Source source = decision == null ? Source.NOT_LIMITED : decision.source();
        PolicyMeters meters = meters(policy);
        meters.decisions(effect, source).increment();
        if (source == Source.FALLBACK) {
            meters.fallbacks.increment();
        }
    }

    @Override
    public void refundLost(String policy) {
        meters(policy).lostRefunds.increment();
    }

    @Override
    public void paused(String policy) {
        meters(policy).pauses().increment();
    }

    @Override
    public void expect(Policy warning) {
        approached(warning);
    }

    @Override
    public void approached(Policy policy, RateLimitApproached approached) {
        approached(policy).increment();
    }

    private Counter approached(Policy policy) {
        return counter("rate.limit.approached", policy.name(),
                "How often at least warn-at of a limit was used, at most once per minute for a key");
    }

    @Override
    public void replied(RedisResult result, long nanos) {
        redis.get(result).record(nanos, TimeUnit.NANOSECONDS);
    }

    private PolicyMeters meters(String policy) {
        PolicyMeters meters = byPolicy.get(policy);
        return meters == null ? metersOfCode(policy) : meters;
    }

    private synchronized PolicyMeters metersOfCode(String policy) {
        return byPolicy.size() - configured >= MAX_OF_CODE ? byPolicy.getOrDefault(policy, others)
                : byPolicy.computeIfAbsent(policy, PolicyMeters::new);
    }

    private Counter counter(String name, String policy, String description, String... tags) {
        return Counter.builder(name).tag("policy", policy).tags(tags).description(description).register(registry);
    }

    private static String tag(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Holds the counters of one policy. Expected counters start at 0, so that the first denial is visible as a change. */
    private final class PolicyMeters {

        private final String policy;
        private final Counter[][] decisions = new Counter[Effect.values().length][Source.values().length];
        private final Counter fallbacks, lostRefunds;

        PolicyMeters(String policy) {
            this.policy = policy;
            this.fallbacks = counter("rate.limit.fallbacks", policy, "Decisions by on-redis-failure, as Redis did not decide");
            this.lostRefunds = counter("rate.limit.refunds.lost", policy,
                    "Refunds that were given up, as Redis did not reply");
        }

        void expect(Policy policy) {
            List<Source> sources = store == Store.MEMORY ? List.of(Source.MEMORY) : List.of(Source.REDIS, Source.FALLBACK);
            for (Source source : sources) {
                decisions(Effect.ALLOWED, source);
                decisions(policy.mode() == Mode.SHADOW ? Effect.SHADOW_DENIED : Effect.DENIED, source);
            }
            if (store == Store.REDIS && policy.mode() == Mode.ENFORCE && !policy.denialCache().isZero()) {
                decisions(Effect.DENIED, Source.DENIAL_CACHE);
            }
            if (store == Store.REDIS && !policy.prefetch().isOff()) {
                decisions(Effect.ALLOWED, Source.PREFETCHED);
            }
            if (!policy.exempt().areNone() || policy.plans().mayBeUnlimited()) {
                decisions(Effect.EXEMPT, Source.NOT_LIMITED);
            }
            if (!policy.obeyRetryAfter().isZero()) {
                pauses();
            }
        }

        Counter pauses() {
            return counter("rate.limit.pauses", policy, "Pauses for which called services asked");
        }

        Counter decisions(Effect effect, Source source) {
            Counter[] bySource = decisions[effect.ordinal()];
            if (bySource[source.ordinal()] == null) {
                bySource[source.ordinal()] = counter("rate.limit.decisions", policy, "What policies did to calls", "outcome",
                        effect.text(), "source", tag(source));
            }
            return bySource[source.ordinal()];
        }
    }
}
