package io.quarkiverse.ratelimit.runtime.operate.observe;

import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Singleton;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException.RedisResult;
import io.quarkiverse.ratelimit.runtime.store.TimedStore.RedisObserver;

/** Counts decisions by policy, and measures the duration of requests to Redis by result. */
@Singleton
public class LimiterMeters implements DecisionObserver, ApproachedLimits.Listener, RedisObserver {

    /** Largest number of limiters created by code that have their own counters. Code may create one limiter per caller. */
    private static final int MAX_OF_CODE = 100;
    /** Tag value for all other limiters. No policy can have this name. */
    private static final String OTHERS = "(others)";

    /** Description of each counter. */
    private static final Map<String, String> DESCRIPTIONS = Map.of(
            "decisions", "What policies did to calls",
            "fallbacks", "Decisions by on-redis-failure, as Redis did not decide",
            "refunds.lost", "Refunds that were given up, as Redis did not reply",
            "pauses", "Pauses for which called services or code asked",
            "approached", "How often at least warn-at of a limit was used, at most once per minute for a key");

    private final MeterRegistry registry;
    private final RateLimitConfig config;
    private final Map<RedisResult, Timer> redis = new EnumMap<>(RedisResult.class);
    private final Set<String> ofCode = ConcurrentHashMap.newKeySet();
    /** Counters of decisions. They are kept because the registry composes an id for each lookup. */
    private final Map<Decided, Counter> decisions = new ConcurrentHashMap<>();

    /** @param policy {@link #OTHERS} for all others */
    private record Decided(String policy, Effect effect, Source source) {
    }

    /** Gets the configuration and not the settings, because it is created before them. */
    LimiterMeters(MeterRegistry registry, RateLimitConfig config) {
        this.registry = registry;
        this.config = config;
        if (config.store() == Store.REDIS) {
            for (RedisResult result : RedisResult.values()) {
                redis.put(result, Timer.builder("rate.limit.redis").tag("result", Policy.written(result))
                        .description("How long the rate limiter's Redis takes to reply").register(registry));
            }
        }
    }

    /** Registers expected counters. They start at 0, so that the first denial is visible as a change. */
    @Override
    public boolean expect(Collection<Policy> policies) {
        for (Policy policy : policies) {
            boolean inRedis = config.store() == Store.REDIS;
            for (Source source : inRedis ? List.of(Source.REDIS, Source.FALLBACK) : List.of(Source.MEMORY)) {
                decisions(policy.name(), Effect.ALLOWED, source);
                decisions(policy.name(), policy.mode() == Mode.SHADOW ? Effect.SHADOW_DENIED : Effect.DENIED, source);
                if (config.policies().get(policy.name()).overflow().isPresent()) {
                    decisions(policy.name(), Effect.OVERFLOW, source);
                }
            }
            if (inRedis && policy.mode() == Mode.ENFORCE && !policy.denialCache().isZero()) {
                decisions(policy.name(), Effect.DENIED, Source.DENIAL_CACHE);
            }
            if (inRedis && !policy.prefetch().isOff()) {
                decisions(policy.name(), Effect.ALLOWED, Source.PREFETCHED);
            }
            if (!policy.exempt().areNone() || policy.plans().mayBeUnlimited()) {
                decisions(policy.name(), Effect.EXEMPT, Source.NOT_LIMITED);
            }
            if (!policy.obeyRetryAfter().isZero()) {
                counter("pauses", policy.name());
            }
            if (config.policies().get(policy.name()).warnAt().isPresent()) {
                counter("approached", policy.name());
            }
            counter("fallbacks", policy.name());
            counter("refunds.lost", policy.name());
        }
        return true;
    }

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        Source source = decision == null ? Source.NOT_LIMITED : decision.source();
        decisions(policy, effect, source).increment();
        if (source == Source.FALLBACK) {
            counter("fallbacks", policy).increment();
        }
    }

    @Override
    public void refundLost(String policy) {
        counter("refunds.lost", policy).increment();
    }

    @Override
    public void paused(String policy) {
        counter("pauses", policy).increment();
    }

    @Override
    public void approached(Policy policy, RateLimitApproached approached) {
        counter("approached", policy.name()).increment();
    }

    @Override
    public void replied(RedisResult result, long nanos) {
        redis.get(result).record(nanos, TimeUnit.NANOSECONDS);
    }

    private Counter decisions(String policy, Effect effect, Source source) {
        Decided decided = new Decided(tagOf(policy), effect, source);
        Counter known = decisions.get(decided);
        return known != null ? known
                : decisions.computeIfAbsent(decided, ignored -> counter("decisions", policy, "outcome", effect.text(),
                        "source", Policy.written(source)));
    }

    private Counter counter(String name, String policy, String... tags) {
        return Counter.builder("rate.limit." + name).tag("policy", tagOf(policy)).tags(tags).description(DESCRIPTIONS.get(name))
                .register(registry);
    }

    private String tagOf(String policy) {
        boolean own = config.policies().containsKey(policy)
                || ofCode.size() < MAX_OF_CODE && ofCode.add(policy) || ofCode.contains(policy);
        return own ? policy : OTHERS;
    }
}
