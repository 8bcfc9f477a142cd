package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.limits.PlanCache.Known;
import io.quarkiverse.ratelimit.runtime.policy.LimitsByName;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.mutiny.Uni;

/** Finds the plans that beans return, and keeps them for policies with {@code plan-cache}. */
final class BeanPlans {

    /** Ends the keys of calls from code, whose plans may differ from those of requests. No stored key contains a blank. */
    private static final String IN_CODE = " in code";

    private final BeanInvoker<RateLimitPlanResolver, RateLimitPlan> beans;
    private final LongSupplier clock;
    private final Timers timers;
    private final Map<String, PlanCache> caches = new ConcurrentHashMap<>();

    /** @param clock microseconds */
    BeanPlans(BeanInvoker<RateLimitPlanResolver, RateLimitPlan> beans, LongSupplier clock, Timers timers) {
        this.timers = timers;
        this.beans = beans;
        this.clock = clock;
    }

    /** Calls the beans of policies without cache, each once; never fails. Adds the plans by the names of the policies. */
    List<Uni<?>> called(List<Policy> policies, RateLimitCall call, Map<String, Plan> found) {
        List<Uni<?>> all = new ArrayList<>();
        policies.stream().filter(policy -> !isCached(policy)).collect(Collectors.groupingBy(policy -> policy.plans().bean()))
                .forEach((bean, users) -> all.add(beans.result(bean, call)
                        .invoke(plan -> users.forEach(policy -> add(policy, fittingOrNull(policy, plan), found)))
                        .onFailure().recoverWithNull()));
        return all;
    }

    /**
     * Finds the plans of policies with a cache; never fails. Adds the plans by the names of the policies.
     *
     * @param deadline after which the last known plan applies
     */
    List<Uni<?>> kept(List<Policy> policies, CallDetails details, RateLimitCall call, long deadline, Map<String, Plan> found) {
        List<Uni<?>> outdated = new ArrayList<>();
        for (Policy policy : policies) {
            String key = isCached(policy) ? policy.keyOf(details) : null;
            Known kept = key == null ? null : cache(policy).upToDate(key);
            if (kept != null) {
                add(policy, kept.plan(), found);
            } else if (key != null) {
                outdated.add(kept(policy, key, call, deadline).invoke(plan -> add(policy, plan, found)));
            }
        }
        return outdated;
    }

    /** The plan of a caller whose key comes from code; never fails. A {@code null} item stands for the policy's own limits. */
    Uni<Plan> plan(Policy policy, Caller caller, PassedKey key, long deadline) {
        RateLimitCall call = new BeanInvoker.CallView(caller, null, key.values());
        if (!isCached(policy)) {
            return called(policy, call).onFailure().recoverWithNull();
        }
        String inCode = key.stored() + IN_CODE;
        Known kept = cache(policy).upToDate(inCode);
        return kept == null ? kept(policy, inCode, call, deadline) : Uni.createFrom().item(kept.plan());
    }

    /** The plan of a caller as far as it can be known without a request; never fails, and keeps nothing. */
    Uni<Plan> shown(Policy policy, PassedKey key) {
        Known kept = isCached(policy) ? cache(policy).upToDate(key.stored()) : null;
        return kept == null
                ? called(policy, new BeanInvoker.CallView(Caller.UNKNOWN, null, key.values())).onFailure().recoverWithNull()
                : Uni.createFrom().item(kept.plan());
    }

    void evictAll() {
        caches.values().forEach(PlanCache::evictAll);
    }

    private Uni<Plan> kept(Policy policy, String key, RateLimitCall call, long deadline) {
        PlanCache cache = cache(policy);
        Duration left = Duration.ofNanos(deadline - System.nanoTime());
        return timers.within(left, cache.get(key, called(policy, call))).onFailure().recoverWithItem(() -> cache.last(key));
    }

    private Uni<Plan> called(Policy policy, RateLimitCall call) {
        return beans.result(policy.plans().bean(), call).map(plan -> fitting(policy, plan));
    }

    /** @throws IllegalArgumentException when the policy does not have these limits */
    private Plan fitting(Policy policy, RateLimitPlan plan) {
        if (plan == null || plan.name().isPresent()) {
            return plan == null ? null : policy.plans().named(plan.name().get());
        }
        if (plan.isUnlimited()) {
            return Plan.UNLIMITED;
        }
        try {
            return Plan.of(policy, plan.limit().map(limit -> LimitsByName.only(policy, limit))
                    .orElseGet(() -> LimitsByName.known(policy, plan.limits())));
        } catch (IllegalArgumentException unfit) {
            beans.warn(policy.plans().bean(), "returned a plan that does not fit: " + unfit.getMessage() + " It is ignored.");
            throw unfit;
        }
    }

    private Plan fittingOrNull(Policy policy, RateLimitPlan plan) {
        try {
            return fitting(policy, plan);
        } catch (IllegalArgumentException unfit) {
            return null;
        }
    }

    private static void add(Policy policy, Plan plan, Map<String, Plan> found) {
        if (plan != null) {
            found.put(policy.name(), plan);
        }
    }

    private static boolean isCached(Policy policy) {
        return !policy.plans().cache().isZero();
    }

    private PlanCache cache(Policy policy) {
        return caches.computeIfAbsent(policy.name(),
                name -> new PlanCache(LimitUsage.micros(policy.plans().cache()), clock));
    }
}
