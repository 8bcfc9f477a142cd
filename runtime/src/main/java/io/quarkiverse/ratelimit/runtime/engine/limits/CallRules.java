package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Holds the charges for a call of a limited method, or for a request of a route.
 *
 * @param method its id is {@code null} for a route
 * @param charges one for each policy that is enabled; may be empty
 * @param mayShareRequest whether other rules may also decide the same request
 * @param needsIdentity whether the caller must be authenticated before the call is decided
 * @param usesBeans whether the decision needs resolver beans of the application
 */
public record CallRules(LimitedMethod method, List<Charge> charges, boolean mayShareRequest, boolean mayDelay,
        boolean needsIdentity, boolean usesBeans, Set<String> keyBeans, List<Policy> beanPlanPolicies) {

    /** Stands for the routes of a request, in place of a method. */
    public static final LimitedMethod ROUTES = LimitedMethod.unlimited(null);

    /** The rules of a method, which alone decide its calls. */
    public static CallRules of(LimitedMethod method, List<Charge> charges) {
        Set<String> keyBeans = new TreeSet<>();
        List<Policy> beanPlanPolicies = new ArrayList<>(0);
        boolean delays = false;
        boolean identity = false;
        // a loop, because this runs at the start, where the functions of streams take more time than their work
        for (Charge charge : charges) {
            Policy policy = charge.policy;
            if (policy.plans().bean() != null) {
                beanPlanPolicies.add(policy);
            }
            if (policy.key() != null) {
                keyBeans.addAll(policy.key().beans());
            }
            delays |= policy.mayDelay();
            identity |= policy.needsIdentity();
        }
        boolean plansByBeans = !beanPlanPolicies.isEmpty();
        return new CallRules(method, List.copyOf(charges), false, delays || plansByBeans, identity,
                plansByBeans || !keyBeans.isEmpty(), keyBeans, beanPlanPolicies);
    }

    /** The same rules for requests that other rules may also decide: those of routes, and of methods that serve them. */
    CallRules sharingRequests() {
        return new CallRules(method, charges, true, mayDelay, needsIdentity, usesBeans, keyBeans, beanPlanPolicies);
    }

    public Object[] keyArguments(Object[] arguments) {
        return method.parameters().keyArguments(arguments);
    }

    /** The same rules for calls of which a part is usually refunded. */
    public CallRules refundable() {
        return with(charges.stream().map(Charge::refundable).toList());
    }

    /**
     * Returns these rules at the cost that the arguments contain. Without such an argument, the estimate replaces each cost
     * of 1.
     */
    public CallRules costing(Object[] arguments, long estimate) {
        return method.parameters().cost() != CallParameters.NO_COST ? costing(arguments)
                : with(charges.stream().map(charge -> charge.requested.cost() == 1 ? charge.costing(estimate) : charge)
                        .toList());
    }

    /**
     * Returns these rules at the cost that the arguments contain.
     *
     * @throws IllegalArgumentException when the cost argument is not a valid cost
     */
    public CallRules costing(Object[] arguments) {
        // the arguments of a method that is not limited are not checked
        if (charges.isEmpty() || method.parameters().cost() == CallParameters.NO_COST) {
            return this;
        }
        long max = charges.stream().mapToLong(charge -> charge.policy.maxCost()).min().orElse(Limit.MAX_PERMITS);
        Object argument = arguments[method.parameters().cost()];
        if (!(argument instanceof Number number) || number.longValue() < 0 || number.longValue() > max) {
            throw new IllegalArgumentException(
                    "The @RateLimitCost of " + method.id() + " must be 0 to " + max + ", but is " + argument);
        }
        long cost = number.longValue();
        // a cost of 0 leaves no rules
        return with(cost == 0 ? List.of() : charges.stream().map(charge -> charge.costing(cost)).toList());
    }

    private CallRules with(List<Charge> others) {
        return new CallRules(method, others, mayShareRequest, mayDelay, needsIdentity, usesBeans, keyBeans, beanPlanPolicies);
    }
}
