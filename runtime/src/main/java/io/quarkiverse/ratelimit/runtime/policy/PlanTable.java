package io.quarkiverse.ratelimit.runtime.policy;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.MissingValueWarning;

/**
 * Chooses the plan of a caller.
 *
 * @param source where the plan comes from, {@code null} without plans
 * @param name name of the claim or the bean
 * @param cache time for which the plan that a bean returned for a key is kept
 * @param warning of claims that callers lack; {@code null} if the plan has another source
 * @param inOrder all configured plans in order. If a caller has several matching roles, the first plan applies.
 */
public record PlanTable(PlanSource source, String name, Duration cache, MissingValueWarning warning,
        List<Plan> inOrder) {

    /** The sources of a caller's plan. */
    public enum PlanSource {
        /** Claim of the caller's token. Its value is the plan's name. */
        CLAIM,
        /** Roles of the caller. One of them has the plan's name. */
        ROLES,
        /** Bean of the application. It returns the plan's name, or limits. */
        BEAN
    }

    public static final PlanTable NONE = new PlanTable(null, null, Duration.ZERO, null, List.of());

    public boolean isEmpty() {
        return source == null;
    }

    public boolean needsIdentity() {
        return source == PlanSource.CLAIM || source == PlanSource.ROLES;
    }

    /** Returns the name of the bean that returns the plan, or {@code null} if the plan has another source. */
    public String bean() {
        return source == PlanSource.BEAN ? name : null;
    }

    public boolean mayBeUnlimited() {
        return source == PlanSource.BEAN || inOrder.stream().anyMatch(Plan::unlimited);
    }

    /**
     * Returns the plan of an authenticated caller, or {@code null} if the policy's own limits apply, or if a bean returns the
     * plan.
     */
    public Plan planOf(Caller caller) {
        if (source == PlanSource.ROLES) {
            for (Plan plan : inOrder) {
                if (caller.hasRole(plan.name())) {
                    return plan;
                }
            }
        } else if (source == PlanSource.CLAIM) {
            String plan = caller.claim(name);
            if (plan == null) {
                warning.warn(caller, "claim:" + name, "plan", "the policy's own limits apply");
            }
            return named(plan);
        }
        return null;
    }

    /** Returns the configured plan of this name, or {@code null} for none. */
    public Plan named(String plan) {
        for (Plan one : inOrder) {
            if (one.name().equals(plan)) {
                return one;
            }
        }
        return null;
    }
}
