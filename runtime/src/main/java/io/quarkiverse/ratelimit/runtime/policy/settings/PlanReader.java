package io.quarkiverse.ratelimit.runtime.policy.settings;

import static io.quarkiverse.ratelimit.runtime.policy.settings.PropertyGroup.items;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.caller.MissingValueWarning;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable.PlanSource;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.config.LimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.LimitConfig.PlanLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig.PlanConfig;

/**
 * Reads the plans of a policy, and where the plan of a caller comes from.
 *
 * @param group properties of the policy
 * @param limits policy's own limits that have no mistakes
 */
record PlanReader(PropertyGroup group, PolicyConfig config, List<PolicyLimit> limits) {

    private static final Duration MAX_CACHE = Duration.ofDays(1);

    /**
     * @param beans the plan resolvers by name
     * @param warning of claims that callers lack
     */
    PlanTable read(Map<String, ? extends List<?>> beans, MissingValueWarning warning) {
        String text = config.plan().orElse("").strip();
        String name = text.substring(text.indexOf(':') + 1).strip();
        PlanSource source = source(text, name);
        Duration cache = group.duration("plan-cache", config.planCache(), Duration.ZERO, MAX_CACHE);
        if (source == PlanSource.BEAN) {
            group.requireBean("plan", "RateLimitPlanResolver", name, beans);
        } else {
            group.wrong("plan-cache", "has a meaning only for plan=bean:NAME. Remove it.");
            if (config.plans().isEmpty()) {
                if (!group.hasMistakes(List.of("plans"))) {
                    group.wrong("plan", "has no meaning without plans. Add " + group.path() + ".plans.<plan>.* or remove it.");
                    group.wrong("plan-order", "has no meaning without plans. Remove it.");
                }
                return PlanTable.NONE;
            }
        }
        group.require("plan", config.plan(), "Set plan to the source of a caller's plan: claim:NAME, roles or bean:NAME.");
        SortedMap<String, PlanConfig> plans = group.child("plans").named(config.plans());
        List<Plan> all = new ArrayList<>();
        for (String plan : inOrder(plans.keySet(), source)) {
            all.add(plan(group.child("plans", plan), plans.get(plan)));
        }
        return source == null ? PlanTable.NONE
                : new PlanTable(source, name, cache, source == PlanSource.CLAIM ? warning : null, all);
    }

    private PlanSource source(String text, String name) {
        if (text.equals("roles")) {
            return PlanSource.ROLES;
        }
        if (text.startsWith("claim:") && !name.isEmpty()) {
            return PlanSource.CLAIM;
        }
        if (text.startsWith("bean:") && !name.isEmpty()) {
            return PlanSource.BEAN;
        }
        group.wrong("plan", "is not known. Known: claim:NAME, roles, bean:NAME.");
        return null;
    }

    private Set<String> inOrder(Set<String> plans, PlanSource source) {
        Set<String> names = new LinkedHashSet<>();
        for (String name : items(config.planOrder())) {
            if (source != PlanSource.ROLES) {
                group.wrong("plan-order", "has a meaning only for plan=roles. Remove it.");
            } else if (plans.contains(name)) {
                names.add(name);
            } else if (!group.child("plans").hasMistakes(List.of(name))) {
                group.wrong("plan-order", "names no plan \"" + name + "\". Plans: " + String.join(", ", plans) + ".");
            }
        }
        names.addAll(plans);
        return names;
    }

    private Plan plan(PropertyGroup plan, PlanConfig values) {
        plan.requireName("plan");
        plan.requireTrueOrFalse("unlimited");
        boolean replacesOnly = values.permits().isPresent() || values.period().isPresent() || values.burst().isPresent();
        if (values.unlimited() && (replacesOnly || !values.limits().isEmpty())) {
            plan.wrong("unlimited", "cannot be combined with limits of the plan. Remove it or the limits.");
        }
        Map<String, Limit> replaced = new HashMap<>();
        if (replacesOnly) {
            replace(PolicyLimit.DEFAULT_NAME, config.limits().isEmpty() ? config : null, plan, values, replaced);
        }
        plan.child("limits").named(values.limits()).forEach((name, limit) -> replace(name, config.limits().get(name),
                plan.child("limits", name), limit, replaced));
        return new Plan(plan.path().last(), values.unlimited(), replaced);
    }

    /** @param own what the plan replaces; {@code null} if the policy has no such limit */
    private void replace(String name, LimitConfig own, PropertyGroup group, PlanLimitConfig values,
            Map<String, Limit> replaced) {
        LimitReader.checkRanges(group, values.permits(), values.period(), values.burst());
        if (own == null && !this.group.child("limits").hasMistakes(List.of(name))) {
            group.wrong(" replaces no limit of the policy, which has " + (config.limits().isEmpty()
                    ? "one without a name. Leave out \"limits\" and its name."
                    : "limits." + String.join(", limits.", this.group.child("limits").named(config.limits()).keySet())
                            + ". Set permits, period and burst of one of these."));
        } else if (limits.stream().anyMatch(limit -> limit.name().equals(name))) {
            // mistakes of the policy's own limit are reported there
            new LimitReader(group, own, values.permits().or(own::permits), values.period().or(own::period),
                    values.burst().or(own::burst)).read().ifPresent(limit -> replaced.put(name, limit));
        }
    }
}
