package io.quarkiverse.ratelimit.runtime.langchain4j;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkus.runtime.StartupEvent;

/** Warns at the start of limits that are smaller than any estimate of a call, so that they deny every call. */
@Singleton
public class SmallBudgets {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    void warn(@Observes StartupEvent started, AiServiceRegistry services, RuleRegistry registry, BudgetedMethods methods) {
        for (AiServiceMethod service : services.all()) {
            CallRules rules = registry.rules(service.id());
            if (rules.method().parameters().cost() == CallParameters.NO_COST) {
                rules.charges().stream().filter(charge -> charge.requested().cost() == 1)
                        .forEach(charge -> warn(charge.policy(), service, methods));
            }
        }
    }

    private static void warn(Policy policy, AiServiceMethod service, BudgetedMethods methods) {
        for (PolicyLimit limit : policy.limits()) {
            long capacity = limit.limit().burst();
            if (limit.countsCost() && limit.limit().maxWait().isZero() && estimate(service, methods) >= capacity) {
                LOG.warnf("@RateLimited(\"%s\") on %s reserves at least %d tokens for a call, but limit \"%s\" has a capacity"
                        + " of %d. So each call is denied, unless a plan or an override raises the limit. Raise it, configure"
                        + " the most output tokens of the model (otherwise %d are assumed), or set the estimate by cost or"
                        + " @RateLimitCost.", policy.name(), service.id(), estimate(service, methods), limit.name(), capacity,
                        BudgetedMethods.DEFAULT_OUTPUT_TOKENS);
            }
        }
    }

    /** The least tokens that a call reserves: its templates and the longest response, without arguments. */
    private static long estimate(AiServiceMethod service, BudgetedMethods methods) {
        return service.templateTokens() + methods.outputTokens(service);
    }
}
