package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.caller.CallDetails;

/**
 * Chooses the plan of a call.
 *
 * @param source where the plan's name comes from, {@code null} without plans
 * @param name the name of the claim or the bean
 * @param inOrder all plans in order. If a caller has several matching roles, the first plan applies.
 */
public record Plans(PlanSource source, String name, List<Plan> inOrder) {

    public static final Plans NONE = new Plans(null, null, List.of());

    public Plans {
        inOrder = List.copyOf(inOrder);
    }

    public boolean isEmpty() {
        return inOrder.isEmpty();
    }

    public boolean needsIdentity() {
        return source == PlanSource.CLAIM || source == PlanSource.ROLES;
    }

    /** The name of the bean that returns the plan, or {@code null} if the plan has another source. */
    public String bean() {
        return source == PlanSource.BEAN ? name : null;
    }

    /** The plan that applies, or {@code null} if the policy's own limits apply. */
    public Plan of(CallDetails call) {
        if (inOrder.isEmpty()) {
            return null;
        }
        return switch (source) {
            case CLAIM -> named(call.caller().claim(name));
            case BEAN -> named(call.plans().get(name));
            case ROLES -> ofRoles(call);
        };
    }

    private Plan named(String plan) {
        for (Plan one : inOrder) {
            if (one.name().equals(plan)) {
                return one;
            }
        }
        return null;
    }

    private Plan ofRoles(CallDetails call) {
        for (Plan one : inOrder) {
            if (call.caller().hasRole(one.name())) {
                return one;
            }
        }
        return null;
    }
}
