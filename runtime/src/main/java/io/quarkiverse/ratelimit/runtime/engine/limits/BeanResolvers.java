package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.mutiny.Uni;

/**
 * Calls the application's resolver beans for the key and the plans of a call. A bean that fails or takes too long has no
 * result.
 */
public final class BeanResolvers {

    private final BeanInvoker<RateLimitKeyResolver, String> keys;
    private final BeanPlans plans;
    private final Duration timeout;

    /**
     * @param timeout of a call's decision; beans get four fifths of it, so that there is time left for the request to
     *        Redis
     * @param clock microseconds
     */
    public BeanResolvers(Map<String, List<Supplier<RateLimitKeyResolver>>> keys,
            Map<String, List<Supplier<RateLimitPlanResolver>>> plans, Duration timeout, LongSupplier clock,
            Timers timers) {
        this.timeout = timeout.multipliedBy(4).dividedBy(5);
        this.keys = new BeanInvoker<>(RateLimitKeyResolver.class, keys, RateLimitKeyResolver::resolve, this.timeout, timers);
        this.plans = new BeanPlans(
                new BeanInvoker<RateLimitPlanResolver, RateLimitPlan>(RateLimitPlanResolver.class, plans,
                        RateLimitPlanResolver::resolve, this.timeout, timers),
                clock, timers);
    }

    /**
     * A call with the results of beans.
     *
     * @param plans the plans that beans returned, by the name of the policy; none for the policy's own limits
     */
    public record KnownCall(CallDetails details, Map<String, Plan> plans) {
    }

    /** Adds the results of beans to the call; never fails. */
    public Uni<KnownCall> results(CallRules rules, CallDetails details) {
        long deadline = deadline();
        RateLimitCall call = new BeanInvoker.CallView(details.caller(), details.method(), null);
        Map<String, String> values = new ConcurrentHashMap<>();
        KnownCall known = new KnownCall(
                new CallDetails(details.caller(), details.method(), details.arguments(), values), new ConcurrentHashMap<>());
        List<Uni<?>> first = called(rules.keyBeans(), call, values);
        first.addAll(plans.called(rules.beanPlanPolicies(), call, known.plans));
        Supplier<Uni<Void>> kept = () -> all(plans.kept(rules.beanPlanPolicies(), known.details, call, deadline, known.plans));
        return (first.isEmpty() ? kept.get() : all(first).chain(ignored -> kept.get())).replaceWith(known);
    }

    /** The plan that a bean returns for a caller whose key comes from code; never fails. */
    Uni<Plan> plan(Policy policy, Caller caller, PassedKey key) {
        return plans.plan(policy, caller, key, deadline());
    }

    /** The plan that a bean returns for a caller outside of a request; never fails. */
    Uni<Plan> shownPlan(Policy policy, PassedKey key) {
        return plans.shown(policy, key);
    }

    /** Evicts the plans that are kept. */
    void evictPlans() {
        plans.evictAll();
    }

    private List<Uni<?>> called(Set<String> beans, RateLimitCall call, Map<String, String> values) {
        List<Uni<?>> all = new ArrayList<>(beans.size());
        for (String bean : beans) {
            all.add(keys.result(bean, call).invoke(value -> {
                if (value != null) {
                    values.put(bean, value);
                }
            }).onFailure().recoverWithNull());
        }
        return all;
    }

    private static Uni<Void> all(List<Uni<?>> unis) {
        return unis.isEmpty() ? Uni.createFrom().voidItem() : Uni.combine().all().unis(unis).discardItems();
    }

    private long deadline() {
        return System.nanoTime() + timeout.toNanos();
    }
}
