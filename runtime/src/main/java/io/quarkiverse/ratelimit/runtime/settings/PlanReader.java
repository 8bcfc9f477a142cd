package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.config.LimitConfig;
import io.quarkiverse.ratelimit.runtime.config.PlanConfig;
import io.quarkiverse.ratelimit.runtime.config.PlanLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Reads the plans of a policy: the limits that they replace. */
final class PlanReader {

    private final PropertyGroup policy;
    private final PolicyConfig config;
    private final SortedMap<String, LimitConfig> ownLimits;
    private final List<PolicyLimit> limits;

    /** @param limits the policy's own limits that have no mistakes */
    PlanReader(PropertyGroup policy, PolicyConfig config, List<PolicyLimit> limits) {
        this.policy = policy;
        this.config = config;
        this.ownLimits = policy.child("limits").named(config.limits());
        this.limits = limits;
    }

    Plan read(String name, PlanConfig plan) {
        PropertyGroup group = policy.child("plans", name);
        group.mistakes().requireName("plan", name, group.path());
        group.requireTrueOrFalse("unlimited");
        List<PolicyLimit> changed = new ArrayList<>();
        if (plan.unlimited() && (hasValues(plan) || !plan.limits().isEmpty())) {
            check(group, plan);
            PropertyGroup limits = group.child("limits");
            limits.named(plan.limits()).forEach((limit, values) -> check(limits.child(limit), values));
            group.wrong("unlimited", "cannot be combined with limits of the plan. Remove it or the limits.");
        } else {
            readUnnamed(group, plan, changed);
            readNamed(group.child("limits"), plan, changed);
        }
        return new Plan(name, plan.unlimited(), changed);
    }

    /** The values for the only limit of the policy. */
    private void readUnnamed(PropertyGroup group, PlanConfig plan, List<PolicyLimit> changed) {
        if (hasValues(plan)) {
            if (config.limits().isEmpty()) {
                change(PolicyLimit.DEFAULT_NAME, group, config, plan, changed);
            } else {
                check(group, plan);
                group.mistakes().addBelow(group.path(), " has a limit without a name, but the policy has several limits."
                        + " Set permits, period and burst in " + group.path() + ".limits.<limit>.*.");
            }
        }
    }

    private void readNamed(PropertyGroup group, PlanConfig plan, List<PolicyLimit> changed) {
        group.named(plan.limits()).forEach((limit, values) -> {
            if (ownLimits.containsKey(limit)) {
                change(limit, group.child(limit), ownLimits.get(limit), values, changed);
            } else {
                reportUnknown(group.child(limit), values);
            }
        });
    }

    private void reportUnknown(PropertyGroup group, PlanLimitConfig values) {
        check(group, values);
        if (ownLimits.isEmpty() && !config.limits().isEmpty()) {
            // the only name is empty, which is reported
            return;
        }
        group.mistakes().addBelow(group.path(), " names no limit of the policy. Its limits: "
                + (config.limits().isEmpty() ? "one without a name, so leave out \"limits\" and its name"
                        : String.join(", ", ownLimits.keySet()) + ". Correct the name")
                + ".");
    }

    /** Reports values that are mistakes by themselves. */
    private static void check(PropertyGroup group, PlanLimitConfig values) {
        values.permits().ifPresent(permits -> group.whole("permits", permits, 1, Limit.MAX_PERMITS));
        values.period().ifPresent(period -> group.duration("period", period, Limit.MIN_PERIOD, Limit.MAX_PERIOD));
        values.burst().ifPresent(burst -> group.whole("burst", burst, 1, Limit.MAX_PERMITS));
    }

    /** Only checks the values by themselves if the policy's own limit has mistakes. */
    private void change(String name, PropertyGroup group, LimitConfig ofPolicy, PlanLimitConfig values,
            List<PolicyLimit> changed) {
        if (limits.stream().anyMatch(limit -> limit.name().equals(name))) {
            new LimitReader(group, ofPolicy, values.permits().or(ofPolicy::permits), values.period().or(ofPolicy::period),
                    values.burst().or(ofPolicy::burst)).read().ifPresent(limit -> changed.add(new PolicyLimit(name, limit)));
        } else {
            check(group, values);
        }
    }

    private static boolean hasValues(PlanLimitConfig values) {
        return values.permits().isPresent() || values.period().isPresent() || values.burst().isPresent();
    }
}
