package io.quarkiverse.ratelimit.runtime.entry.code;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.InjectionPoint;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.engine.Arguments;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.pauses.Pauses;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Leases;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisInUse;

/** Returns and injects the limiters of configured policies, and creates others. */
@Singleton
public class PolicyLimiters implements RateLimiters {

    private final RedisInUse redis;
    private final PolicyOperations.Parts parts;
    private final Map<String, PolicyOperations> configured = new LinkedHashMap<>();
    private final Map<String, RateLimiter> limiters = new HashMap<>();

    PolicyLimiters(Settings settings, PolicyReferences references, CodeCalls calls, Administration administration,
            Pauses pauses, Leases leases, RedisInUse redis, Instance<RequestLookup> requests) {
        this.redis = redis;
        this.parts = new PolicyOperations.Parts(settings, calls, administration, pauses, UUID.randomUUID().toString(),
                new IdChecksum(settings.reservationSecrets()), leases, RequestLookup.of(requests));
        settings.policies().forEach((name, policy) -> {
            List<PolicyOperations> overflows = settings.chain(name).stream().skip(1).filter(Policy::enabled)
                    .map(overflow -> operations(overflow, List.of(), references)).toList();
            PolicyOperations operations = operations(policy, overflows, references);
            configured.put(name, operations);
            limiters.put(name, limiter(operations));
        });
    }

    private PolicyOperations operations(Policy policy, List<PolicyOperations> overflows, PolicyReferences references) {
        Settings settings = parts.settings();
        return new PolicyOperations(policy, settings.passedArguments(policy.name(), references),
                settings.passedOn(policy.name(), references), overflows, parts);
    }

    @Override
    public RateLimiter get(String policy) {
        return limiters.get(operations(policy).policy.name());
    }

    @Override
    public Set<String> policies() {
        return Collections.unmodifiableSet(configured.keySet());
    }

    @Override
    public RateLimiter create(String name, Limit limit) {
        return create(name, Map.of(PolicyLimit.DEFAULT_NAME, Arguments.required("limit", limit)));
    }

    @Override
    public RateLimiter create(String name, Map<String, Limit> limits) {
        if (configured.containsKey(name)) {
            throw new IllegalArgumentException("The limiter \"" + name + "\" cannot be created, because a policy with this name"
                    + " is configured. Use get(\"" + name + "\"), or choose another name.");
        }
        requireName("limiter", name);
        if (Arguments.required("limits", limits).isEmpty()) {
            throw new IllegalArgumentException("The limiter " + name + " has no limit. Give it at least one.");
        }
        redis.require();
        List<PolicyLimit> named = new ArrayList<>();
        limits.forEach((limit, definition) -> {
            requireName("limit", limit);
            named.add(new PolicyLimit(limit, Arguments.required("limit " + limit, definition)));
        });
        named.sort(Comparator.comparing(PolicyLimit::name));
        Policy created = new Policy(name, named, null, MissingKey.SHARED, parts.settings().onRedisFailure(),
                Mode.ENFORCE, true);
        return limiter(new PolicyOperations(created, 0, 0, List.of(), parts));
    }

    private static RateLimiter limiter(PolicyOperations operations) {
        return new BlockingLimiter(new KeyedLimiter(operations, operations.keys.initial()));
    }

    /** @throws IllegalArgumentException when no policy has this name */
    PolicyOperations operations(String policy) {
        PolicyOperations operations = configured.get(policy);
        if (operations == null) {
            throw new IllegalArgumentException("No policy has the name \"" + policy + "\". Configured policies: "
                    + (configured.isEmpty() ? "none" : String.join(", ", policies())) + ". Add quarkus.rate-limit.policies."
                    + policy + ".* or correct the name.");
        }
        return operations;
    }

    @Produces
    @Dependent
    @RateLimitPolicy
    RateLimiter injected(InjectionPoint point) {
        return get(point.getQualifiers().stream().filter(RateLimitPolicy.class::isInstance).map(RateLimitPolicy.class::cast)
                .findFirst().orElseThrow().value());
    }

    @Produces
    @Dependent
    @RateLimitPolicy
    ReactiveRateLimiter injectedReactive(InjectionPoint point) {
        return injected(point).reactive();
    }

    @Produces
    @Singleton
    ReactiveRateLimitAdmin reactiveAdmin() {
        return new LimitAdmin(this::operations, parts);
    }

    @Produces
    @Singleton
    RateLimitAdmin admin() {
        return new BlockingAdmin(new LimitAdmin(this::operations, parts));
    }

    private static void requireName(String kind, String name) {
        if (name == null || !Policy.isName(name)) {
            throw new IllegalArgumentException("\"" + name + "\" is not a valid name of a " + kind
                    + ". Use 1 to 64 letters, digits, underscores and dashes.");
        }
    }
}
