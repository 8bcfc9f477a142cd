package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.KeyArgument;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Holds the charges for a call of a limited method, or for a request of a route.
 *
 * @param method has the id {@code null} for a route
 * @param charges one for each policy that is enabled; may be empty
 * @param overflows what the overflows of a policy charge, by the name of the policy, in the order in which they are asked
 * @param mayShareRequest whether other rules may also decide the same request
 * @param needsIdentity whether the caller must be authenticated before the call is decided
 * @param usesBeans whether the decision needs resolver beans of the application
 */
public record CallRules(LimitedMethod method, List<Charge> charges, Map<String, List<Charge>> overflows,
        boolean mayShareRequest, boolean mayDelay, boolean needsIdentity, boolean usesBeans, Set<String> keyBeans,
        List<Policy> beanPlanPolicies) {

    /** Stands for the routes of a request, in place of a method. */
    public static final LimitedMethod ROUTES = LimitedMethod.unlimited(null);

    /** Creates rules without overflows. */
    public static CallRules of(LimitedMethod method, List<Charge> charges) {
        return of(method, charges, Map.of());
    }

    /** Creates the rules of a method, which alone decide its calls. */
    public static CallRules of(LimitedMethod method, List<Charge> charges, Map<String, List<Charge>> overflows) {
        List<Charge> all = new ArrayList<>(charges);
        for (List<Charge> others : overflows.values()) {
            all.addAll(others);
        }
        Set<String> keyBeans = new TreeSet<>();
        List<Policy> beanPlanPolicies = new ArrayList<>(0);
        boolean delays = false;
        boolean identity = false;
        // a loop, because this runs at the start, where the functions of streams take more time than their work
        for (Charge charge : all) {
            Policy policy = charge.policy();
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
        return new CallRules(method, List.copyOf(charges), overflows, false, delays || plansByBeans, identity,
                plansByBeans || !keyBeans.isEmpty(), keyBeans, beanPlanPolicies);
    }

    /** Returns these rules for requests that others may also decide: rules of routes, and of methods that serve them. */
    CallRules sharingRequests() {
        return new CallRules(method, charges, overflows, true, mayDelay, needsIdentity, usesBeans, keyBeans,
                beanPlanPolicies);
    }

    /** Returns the details of a call from which the key of this policy is composed. */
    public CallDetails detailsFor(Policy policy, CallDetails details) {
        for (Map.Entry<String, List<Charge>> chain : overflows.entrySet()) {
            for (Charge overflow : chain.getValue()) {
                if (overflow.policy().name().equals(policy.name())) {
                    return details.forOverflow(policy.key(), chain.getKey());
                }
            }
        }
        return details;
    }

    public List<KeyArgument> keyArguments(Object[] arguments) {
        return method.parameters().keyArguments(arguments);
    }

    /** Returns these rules for calls that are usually refunded in part. */
    public CallRules refundable() {
        return with(charge -> new Charge(charge.policy(), charge.requested().asRefundable()));
    }

    /**
     * Returns these rules at the cost that the arguments contain. Without such an argument, estimates replace each
     * cost of 1.
     *
     * @param estimates by policy
     */
    public CallRules costing(Object[] arguments, ToLongFunction<String> estimates) {
        return method.parameters().cost() != CallParameters.NO_COST ? costing(arguments)
                : with(charge -> charge.requested().cost() != 1 ? charge
                        : new Charge(charge.policy(),
                                charge.requested().costing(estimates.applyAsLong(charge.policy().name()))));
    }

    /**
     * Returns these rules at the cost that the arguments contain. A cost of 0 counts only where calls count.
     *
     * @throws IllegalArgumentException when the cost argument is not a valid cost
     */
    public CallRules costing(Object[] arguments) {
        // the arguments of a method that is not limited are not checked
        if (charges.isEmpty() || method.parameters().cost() == CallParameters.NO_COST) {
            return this;
        }
        long max = charges.stream().mapToLong(charge -> charge.policy().maxCost()).min().orElse(Limit.MAX_PERMITS);
        Object argument = arguments[method.parameters().cost()];
        if (!(argument instanceof Number number) || number.longValue() < 0 || number.longValue() > max) {
            throw method.resource() ? new InvalidCost.OfRequest(max, argument) : InvalidCost.of(method.id(), max, argument);
        }
        long cost = number.longValue();
        return with(charge -> costing(cost, charge));
    }

    /** Returns the charge of a call at this cost. With a cost of 0, only the limits that count calls are charged. */
    private static Charge costing(long cost, Charge charge) {
        Policy countingCalls = cost == 0 ? charge.policy().countingCalls() : charge.policy();
        return countingCalls.limits().isEmpty() ? new Charge(charge.policy(), PermitRequest.FREE)
                : new Charge(countingCalls, charge.requested().costing(cost));
    }

    private CallRules with(UnaryOperator<Charge> change) {
        Map<String, List<Charge>> changed = overflows.isEmpty() ? overflows : new HashMap<>();
        overflows.forEach((first, others) -> changed.put(first, others.stream().map(change).toList()));
        return new CallRules(method, charges.stream().map(change).toList(), changed, mayShareRequest, mayDelay, needsIdentity,
                usesBeans, keyBeans, beanPlanPolicies);
    }
}
