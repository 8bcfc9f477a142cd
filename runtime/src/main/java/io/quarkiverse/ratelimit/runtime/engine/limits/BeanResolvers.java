package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.mutiny.Uni;

/**
 * Calls the application's resolver beans for the key and the plans of a call, and keeps the plans of policies with
 * {@code plan-cache}. A bean that fails or takes too long has no result.
 *
 * @param timeout of a call of a bean
 * @param clock microseconds
 */
public record BeanResolvers(Map<String, List<Supplier<RateLimitKeyResolver>>> keys,
        Map<String, List<Supplier<RateLimitPlanResolver>>> plans, Duration timeout, LongSupplier clock, Timers timers,
        Map<String, PlanCache> caches, Map<String, FailureLog> warned) {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** Ends the keys of calls from code, whose plans may differ from those of requests. No stored key contains a blank. */
    private static final String IN_CODE = " in code";

    /** @param timeout of a call's decision; beans get four fifths of it, so that there is time left for Redis */
    public BeanResolvers(Map<String, List<Supplier<RateLimitKeyResolver>>> keys,
            Map<String, List<Supplier<RateLimitPlanResolver>>> plans, Duration timeout, LongSupplier clock, Timers timers) {
        this(keys, plans, timeout.multipliedBy(4).dividedBy(5), clock, timers, new ConcurrentHashMap<>(),
                new ConcurrentHashMap<>());
    }

    /** @param plans by the name of the policy; none for the policy's own limits */
    public record KnownCall(CallDetails details, Map<String, Plan> plans) {
    }

    /** Adds what beans return for the caller of a request: values of its key, and plans. Never fails. */
    public Uni<KnownCall> results(CallRules rules, CallDetails details) {
        return results(rules, details, rules.beanPlanPolicies());
    }

    /** Adds the values of the key that beans return for the caller of a request. Never fails. */
    public Uni<CallDetails> keyValues(CallRules rules, CallDetails details) {
        return results(rules, details, List.of()).map(KnownCall::details);
    }

    /** @param planned the policies whose plans are added */
    private Uni<KnownCall> results(CallRules rules, CallDetails details, List<Policy> planned) {
        long deadline = deadline();
        RateLimitCall call = new CallView(details.caller(), details.method(), null);
        KnownCall known = new KnownCall(new CallDetails(details.caller(), details.method(), details.arguments(),
                new ConcurrentHashMap<>()), new ConcurrentHashMap<>());
        List<Uni<Void>> first = new ArrayList<>();
        // a bean of several policies is called once
        Map<String, Uni<RateLimitPlan>> calls = new HashMap<>();
        rules.keyBeans().forEach(bean -> first.add(added(known.details.beanValues(), bean,
                result(RateLimitKeyResolver.class, bean, () -> keys.get(bean).get(0).get().resolve(call)))));
        for (Policy policy : planned) {
            if (!isCached(policy)) {
                Uni<RateLimitPlan> plan = calls.computeIfAbsent(policy.plans().bean(),
                        bean -> plan(bean, call).memoize().indefinitely());
                first.add(added(known.plans, policy.name(), plan.map(result -> fitting(policy, result))));
            }
        }
        // the cache needs the key, which beans may resolve
        return Uni.join().all(first).andFailFast().chain(() -> Uni.join()
                .all(planned.stream().filter(BeanResolvers::isCached).map(policy -> added(known.plans,
                        policy.name(), kept(policy, policy.keyOf(rules.detailsFor(policy, known.details)), call, deadline)))
                        .toList())
                .andFailFast()).replaceWith(known);
    }

    private static <R> Uni<Void> added(Map<String, R> results, String name, Uni<R> result) {
        return result.onItem().ifNotNull().invoke(item -> results.put(name, item)).onFailure().recoverWithNull()
                .replaceWithVoid();
    }

    /** Returns the plan of a caller whose key comes from code, {@code null} for the policy's own limits. Never fails. */
    public Uni<Plan> plan(Policy policy, Caller caller, PassedKey key) {
        if (policy.plans().bean() == null) {
            return Uni.createFrom().item(policy.plans().planOf(caller));
        }
        RateLimitCall call = new CallView(caller, null, key.values());
        return isCached(policy) ? kept(policy, key.stored() + IN_CODE, call, deadline())
                : fitting(policy, call).onFailure().recoverWithNull();
    }

    /** Returns the plan of a caller if it can be known without a request: from a bean. Never fails, and keeps nothing. */
    public Uni<Plan> shownPlan(Policy policy, PassedKey key) {
        if (policy.plans().bean() == null) {
            return Uni.createFrom().nullItem();
        }
        PlanCache.KeptPlan kept = isCached(policy) ? cache(policy).upToDate(key.stored()) : null;
        return kept != null ? Uni.createFrom().item(kept.plan)
                : fitting(policy, new CallView(Caller.UNKNOWN, null, key.values())).onFailure().recoverWithNull();
    }

    public void evictPlans() {
        caches.values().forEach(PlanCache::evictAll);
    }

    private static boolean isCached(Policy policy) {
        return !policy.plans().cache().isZero();
    }

    private PlanCache cache(Policy policy) {
        return caches.computeIfAbsent(policy.name(),
                name -> new PlanCache(LimitUsage.micros(policy.plans().cache()), clock));
    }

    /**
     * Returns the plan from the cache of the policy; never fails.
     *
     * @param key {@code null} for none
     * @param deadline after which the last known plan applies
     */
    private Uni<Plan> kept(Policy policy, String key, RateLimitCall call, long deadline) {
        if (key == null) {
            return Uni.createFrom().nullItem();
        }
        PlanCache cache = cache(policy);
        PlanCache.KeptPlan kept = cache.upToDate(key);
        return kept != null ? Uni.createFrom().item(kept.plan)
                : timers.within(Duration.ofNanos(deadline - System.nanoTime()), cache.get(key, fitting(policy, call)))
                        .onFailure().recoverWithItem(() -> cache.last(key));
    }

    private long deadline() {
        return System.nanoTime() + timeout.toNanos();
    }

    private Uni<Plan> fitting(Policy policy, RateLimitCall call) {
        return plan(policy.plans().bean(), call).map(plan -> fitting(policy, plan));
    }

    /** @throws IllegalArgumentException when the policy does not have these limits */
    private Plan fitting(Policy policy, RateLimitPlan plan) {
        if (plan == null) {
            return null;
        }
        if (plan.name().isPresent()) {
            return policy.plans().named(plan.name().get());
        }
        if (plan.isUnlimited()) {
            return Plan.UNLIMITED;
        }
        try {
            return new Plan(null, false, policy.limitsOf(plan));
        } catch (IllegalArgumentException unfit) {
            warn(RateLimitPlanResolver.class, policy.plans().bean(),
                    "returned a plan that does not fit: " + unfit.getMessage() + " It is ignored.");
            throw unfit;
        }
    }

    private Uni<RateLimitPlan> plan(String bean, RateLimitCall call) {
        return result(RateLimitPlanResolver.class, bean, () -> plans.get(bean).get(0).get().resolve(call));
    }

    /** Calls a bean. The result fails when the bean fails or takes too long. */
    private <R> Uni<R> result(Class<?> type, String bean, Supplier<Uni<R>> resolve) {
        return timers.within(timeout, Uni.createFrom().deferred(() -> {
            Uni<R> result = resolve.get();
            return result == null ? Uni.createFrom().<R> nullItem() : result;
        })).onFailure().invoke(failure -> {
            LOG.debugf(failure, "The %s \"%s\" fails", type.getSimpleName(), bean);
            // the message of the failure may contain a secret
            warn(type, bean,
                    "fails with " + failure.getClass().getName() + ". Its result is ignored. Enable DEBUG for details.");
        });
    }

    /** Warns at most once a minute for each bean. */
    private void warn(Class<?> type, String bean, String message) {
        String name = type.getSimpleName() + " \"" + bean + '"';
        warned.computeIfAbsent(name, FailureLog::new).failed("The " + name + ' ' + message);
    }

    /** Shows a call to the application's resolver beans. */
    private record CallView(Caller caller, String method, List<String> key) implements RateLimitCall {

        @Override
        public String address() {
            return caller.address();
        }

        @Override
        public String header(String name) {
            return caller.header(name);
        }

        @Override
        public String cookie(String name) {
            return caller.cookie(name);
        }

        @Override
        public String query(String name) {
            return caller.query(name);
        }

        @Override
        public String path(String name) {
            return caller.path(name);
        }

        @Override
        public Uni<SecurityIdentity> identity() {
            return caller.identity();
        }
    }
}
