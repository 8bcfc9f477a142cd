package io.quarkiverse.ratelimit.runtime.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequests;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.RateLimiting;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUsers;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.smallrye.mutiny.Uni;

/** Finds and makes limiters, and overrides what is configured. */
@Singleton
public class AllLimiters implements RateLimiters {

    private static final Duration MIN_TTL = Duration.ofSeconds(1);

    private final Settings settings;
    private final Engine engine;
    private final RateLimiting limiting;
    private final CurrentRequests requests;
    private final Map<String, PolicyLimiter> configured = new HashMap<>();

    AllLimiters(Settings settings, PolicyUsers users, Engine engine, RateLimiting limiting,
            Instance<CurrentRequests> requests) {
        this.limiting = limiting;
        this.settings = settings;
        this.engine = engine;
        this.requests = requests.isResolvable() ? requests.get() : () -> CurrentRequest.NONE;
        settings.policies().forEach((name, policy) -> configured.put(name, limiter(policy, users.keyArguments(name))));
    }

    @Override
    public RateLimiter get(String policy) {
        return limiterOf(policy);
    }

    @Override
    public Set<String> policies() {
        return settings.policies().keySet();
    }

    @Override
    public RateLimiter of(String name, Map<String, Limit> limits) {
        if (configured.containsKey(name)) {
            throw new IllegalArgumentException("A limiter cannot be made as \"" + name
                    + "\", since a policy of this name is configured. Ask get(\"" + name + "\") for it, or take another name.");
        }
        requireName("limiter", name);
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("The limiter " + name + " has no limit");
        }
        limiting.requireRedis();
        List<PolicyLimit> named = new ArrayList<>();
        new TreeMap<>(limits).forEach((limit, numbers) -> {
            requireName("limit", limit);
            named.add(new PolicyLimit(limit, numbers));
        });
        return limiter(new Policy(name, named, null, MissingKey.SHARED, settings.onRedisFailure(), Mode.ENFORCE, true), 0);
    }

    @Override
    public Map<String, Limit> limits(String policy) {
        return limitsOf(engine.inForce(limiterOf(policy).policy(), null, null).limits());
    }

    @Override
    public Map<String, Limit> limits(String policy, CallerKey key) {
        PolicyLimiter limiter = limiterOf(policy);
        return limitsOf(engine.inForce(limiter.policy(), null, limiter.caller(key)).limits());
    }

    @Override
    public Uni<Void> override(String policy, Limit limit, Duration ttl) {
        return CallerContext.keepOnEventLoop(() -> override(policy, only(policy, limit), ttl));
    }

    @Override
    public Uni<Void> override(String policy, CallerKey key, Limit limit, Duration ttl) {
        return CallerContext.keepOnEventLoop(() -> override(policy, key, only(policy, limit), ttl));
    }

    @Override
    public Uni<Void> override(String policy, Map<String, Limit> limits, Duration ttl) {
        return CallerContext
                .keepOnEventLoop(() -> engine.override(limiterOf(policy).policy(), null, known(policy, limits), inRange(ttl)));
    }

    @Override
    public Uni<Void> override(String policy, CallerKey key, Map<String, Limit> limits, Duration ttl) {
        return CallerContext.keepOnEventLoop(() -> {
            PolicyLimiter limiter = limiterOf(policy);
            return engine.override(limiter.policy(), limiter.caller(key), known(policy, limits), inRange(ttl));
        });
    }

    @Override
    public Uni<Void> removeOverride(String policy) {
        return CallerContext.keepOnEventLoop(() -> engine.removeOverride(limiterOf(policy).policy(), null));
    }

    @Override
    public Uni<Void> removeOverride(String policy, CallerKey key) {
        return CallerContext.keepOnEventLoop(() -> {
            PolicyLimiter limiter = limiterOf(policy);
            return engine.removeOverride(limiter.policy(), limiter.caller(key));
        });
    }

    private PolicyLimiter limiter(Policy policy, int keyArguments) {
        return new PolicyLimiter(policy, keyArguments, engine, requests, settings);
    }

    private PolicyLimiter limiterOf(String policy) {
        PolicyLimiter limiter = configured.get(policy);
        if (limiter == null) {
            throw new IllegalArgumentException("No policy is called \"" + policy + "\". Configured policies: "
                    + (configured.isEmpty() ? "none" : String.join(", ", policies())) + ". Add quarkus.rate-limit.policies."
                    + policy + ".* or correct the name.");
        }
        return limiter;
    }

    private Map<String, Limit> only(String policy, Limit limit) {
        List<PolicyLimit> limits = limiterOf(policy).policy().limits();
        if (limits.size() > 1) {
            throw new IllegalArgumentException("Policy " + policy + " has several limits: " + limitsOf(limits).keySet()
                    + ". Say which to override, by a map of limits by their names.");
        }
        return Map.of(limits.get(0).name(), limit);
    }

    private Map<String, Limit> known(String policy, Map<String, Limit> limits) {
        Set<String> names = limitsOf(limiterOf(policy).policy().limits()).keySet();
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("An override of policy " + policy + " has no limit. Its limits: " + names);
        }
        for (String name : limits.keySet()) {
            if (!names.contains(name)) {
                throw new IllegalArgumentException("Policy " + policy + " has no limit \"" + name + "\". Its limits: " + names
                        + ". Correct the name.");
            }
        }
        return limits;
    }

    private static Duration inRange(Duration ttl) {
        if (ttl.compareTo(MIN_TTL) < 0 || ttl.compareTo(Limit.MAX_PERIOD) > 0) {
            throw new IllegalArgumentException("An override lives for 1 s to 366 days, not for " + ttl);
        }
        return ttl;
    }

    private static SortedMap<String, Limit> limitsOf(List<PolicyLimit> limits) {
        SortedMap<String, Limit> byName = new TreeMap<>();
        limits.forEach(limit -> byName.put(limit.name(), limit.limit()));
        return Collections.unmodifiableSortedMap(byName);
    }

    private static void requireName(String kind, String name) {
        if (!Policy.isName(name)) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" is no name of a " + kind + ". Use 1 to 64 letters, digits, underscores and dashes.");
        }
    }
}
