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

/** Holds the charges for a call of a limited method, or for a request of a route. */
public final class CallRules {

    /** Stands for the routes of a request, in place of a method. */
    public static final LimitedMethod ROUTES = LimitedMethod.unlimited(null);

    private final LimitedMethod method;
    private final List<Charge> charges;
    private final boolean mayDelay;
    private final boolean needsIdentity;
    private final Set<String> keyBeans;
    private final List<Policy> beanPlanPolicies;
    private final boolean mayShareRequest;

    /** @param charges one for each policy that is in force; may be empty */
    public CallRules(LimitedMethod method, List<Charge> charges) {
        this.method = method;
        this.charges = List.copyOf(charges);
        this.mayShareRequest = false;
        this.beanPlanPolicies = new ArrayList<>(0);
        this.keyBeans = new TreeSet<>();
        boolean delays = false;
        boolean identity = false;
        // a loop, because this runs at the start, where the functions of streams take more time than their work
        for (Charge charge : charges) {
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
        this.mayDelay = delays || !beanPlanPolicies.isEmpty();
        this.needsIdentity = identity;
    }

    private CallRules(CallRules other, List<Charge> charges, boolean mayShareRequest) {
        this.mayShareRequest = mayShareRequest;
        this.method = other.method;
        this.charges = charges;
        this.mayDelay = other.mayDelay;
        this.needsIdentity = other.needsIdentity;
        this.keyBeans = other.keyBeans;
        this.beanPlanPolicies = other.beanPlanPolicies;
    }

    /** The limited method; its id is {@code null} for a route. */
    public LimitedMethod method() {
        return method;
    }

    /** The same rules for requests that other rules may also decide: those of routes, and of methods that serve them. */
    CallRules sharingRequests() {
        return new CallRules(this, charges, true);
    }

    /** Whether other rules may also decide the same request. */
    public boolean mayShareRequest() {
        return mayShareRequest;
    }

    public boolean isEmpty() {
        return charges.isEmpty();
    }

    public List<Charge> charges() {
        return charges;
    }

    /** Whether a call may be delayed. */
    public boolean mayDelay() {
        return mayDelay;
    }

    /** Whether the caller must be authenticated before the call is decided. */
    public boolean needsIdentity() {
        return needsIdentity;
    }

    /** Whether the decision needs resolver beans of the application. */
    public boolean usesBeans() {
        return !keyBeans.isEmpty() || !beanPlanPolicies.isEmpty();
    }

    /** The names of the beans that resolve the key. */
    Set<String> keyBeans() {
        return keyBeans;
    }

    /** The policies whose plans are resolved by beans. */
    List<Policy> beanPlanPolicies() {
        return beanPlanPolicies;
    }

    /** The arguments of a call that belong to the key. */
    public Object[] keyArguments(Object[] arguments) {
        return method.parameters().keyArguments(arguments);
    }

    /** The same rules for calls of which a part is usually refunded. */
    public CallRules refundable() {
        return with(charges.stream().map(Charge::refundable).toList());
    }

    /** The policies in force. */
    public List<Policy> policies() {
        return charges.stream().map(Charge::policy).toList();
    }

    /**
     * Returns these rules at the cost that the arguments contain. Without such an argument, the estimate replaces each cost
     * of 1.
     */
    public CallRules costing(Object[] arguments, long estimate) {
        if (method.parameters().cost() != CallParameters.NO_COST) {
            return costing(arguments);
        }
        return with(
                charges.stream().map(charge -> charge.requested().cost() == 1 ? charge.costing(estimate) : charge).toList());
    }

    /**
     * Returns these rules at the cost that the arguments contain.
     *
     * @throws IllegalArgumentException when the cost argument is not a valid cost
     */
    public CallRules costing(Object[] arguments) {
        if (method.parameters().cost() == CallParameters.NO_COST) {
            return this;
        }
        long max = charges.stream().mapToLong(charge -> charge.policy().maxCost()).min().orElse(Limit.MAX_PERMITS);
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
        return new CallRules(this, others, mayShareRequest);
    }
}
