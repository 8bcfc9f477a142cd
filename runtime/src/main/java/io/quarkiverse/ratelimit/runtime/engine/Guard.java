package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;
import io.quarkiverse.ratelimit.runtime.store.Charge;

/** Holds what a call of one guarded method, or a request of one route, is charged. */
public final class Guard {

    private static final Object[] NO_ARGUMENTS = {};

    private final String method;
    private final boolean resource;
    private final CallParameters parameters;
    private final boolean byFilter;
    private final List<Charge> charges;
    private final boolean mayWait;
    private final boolean needsIdentity;
    private final Set<String> keyBeans;
    private final Set<String> planBeans;

    private Guard(String method, boolean resource, CallParameters parameters, boolean byFilter, List<Charge> charges) {
        this.method = method;
        this.resource = resource;
        this.parameters = parameters;
        this.byFilter = byFilter;
        this.charges = List.copyOf(charges);
        this.mayWait = charges.stream().anyMatch(charge -> charge.policy().mayWait());
        this.needsIdentity = charges.stream().anyMatch(charge -> charge.policy().needsIdentity());
        this.keyBeans = new TreeSet<>();
        this.planBeans = new TreeSet<>();
        for (Charge charge : charges) {
            if (charge.policy().key() != null) {
                keyBeans.addAll(charge.policy().key().beans());
            }
            if (charge.policy().plans().bean() != null) {
                planBeans.add(charge.policy().plans().bean());
            }
        }
    }

    private Guard(Guard other, List<Charge> charges) {
        this.method = other.method;
        this.resource = other.resource;
        this.parameters = other.parameters;
        this.byFilter = other.byFilter;
        this.charges = charges;
        this.mayWait = other.mayWait;
        this.needsIdentity = other.needsIdentity;
        this.keyBeans = other.keyBeans;
        this.planBeans = other.planBeans;
    }

    /** @param charges of every policy that is in force; empty when none is */
    static Guard of(GuardedMethod method, List<Charge> charges) {
        return new Guard(method.id(), method.resource(), method.parameters(), method.byFilter(), charges);
    }

    /** A guard of requests, whatever serves them. */
    static Guard ofRoutes(List<Charge> charges) {
        return new Guard(null, false, CallParameters.NONE, false, charges);
    }

    /** Nothing guards the method. */
    static Guard none(String method) {
        return new Guard(method, false, CallParameters.NONE, false, List.of());
    }

    /** The guarded method, as {@code com.acme.QuoteResource#quote()}; {@code null} for a route. */
    public String method() {
        return method;
    }

    /** Whether the method serves HTTP requests. */
    public boolean resource() {
        return resource;
    }

    /** Whether what is guarded are HTTP requests: those of a route, or of a method that serves them. */
    boolean ofRequests() {
        return resource || method == null;
    }

    /** Whether the method is decided by what serves the request, and not by the interceptor. */
    public boolean byFilter() {
        return byFilter;
    }

    public boolean isEmpty() {
        return charges.isEmpty();
    }

    List<Charge> charges() {
        return charges;
    }

    /** Whether a call may be held back. */
    boolean mayWait() {
        return mayWait;
    }

    /** Whether the caller must be authenticated before the call is decided. */
    public boolean needsIdentity() {
        return needsIdentity;
    }

    /** Whether beans of the application must be asked before the call is decided. */
    boolean asksBeans() {
        return !keyBeans.isEmpty() || !planBeans.isEmpty();
    }

    /** The names of beans that say who is calling. */
    Set<String> keyBeans() {
        return keyBeans;
    }

    /** The names of beans that say which plan applies. */
    Set<String> planBeans() {
        return planBeans;
    }

    /** Those of a call's arguments that belong to the key. */
    public Object[] keyArguments(Object[] arguments) {
        if (parameters.keys().isEmpty()) {
            return NO_ARGUMENTS;
        }
        List<Object> keys = new ArrayList<>(parameters.keys().size());
        for (int parameter : parameters.keys()) {
            keys.add(arguments[parameter]);
        }
        return keys.toArray();
    }

    /**
     * This guard for a call with these arguments: at the cost that they say.
     *
     * @throws IllegalArgumentException when the cost is no such
     */
    public Guard costing(Object[] arguments) {
        if (parameters.cost() == CallParameters.NO_COST) {
            return this;
        }
        long cost = Costs.of(arguments[parameters.cost()], method, charges);
        List<Charge> costing = new ArrayList<>(charges.size());
        for (int i = 0; cost > 0 && i < charges.size(); i++) {
            costing.add(charges.get(i).costing(cost));
        }
        return new Guard(this, costing);
    }
}
