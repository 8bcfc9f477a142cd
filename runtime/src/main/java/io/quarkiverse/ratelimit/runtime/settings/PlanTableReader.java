package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.PropertyGroup.items;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

import io.quarkiverse.ratelimit.runtime.caller.MissingValueWarning;
import io.quarkiverse.ratelimit.runtime.config.PlanConfig;
import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable.PlanSource;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Reads which plans a policy has, and where the plan of a caller comes from. */
final class PlanTableReader {

    private static final String ROLES = "roles";
    private static final String BEAN = "bean:";
    private static final Duration MAX_CACHE = Duration.ofDays(1);
    private static final String KNOWN = "is not known. Known: claim:NAME, roles, bean:NAME.";

    private final PropertyGroup group;
    private final PolicyConfig config;
    private final SortedMap<String, PlanConfig> plans;
    private final Map<String, Integer> beans;

    /**
     * @param group the properties of the policy
     * @param beans the names of the plan resolver beans, each with its number of beans
     */
    PlanTableReader(PropertyGroup group, PolicyConfig config, Map<String, Integer> beans) {
        this.group = group;
        this.config = config;
        this.plans = group.child("plans").named(config.plans());
        this.beans = beans;
    }

    /**
     * @param limits the policy's own limits
     * @param warning of claims that callers lack
     */
    PlanTable read(List<PolicyLimit> limits, MissingValueWarning warning) {
        String text = config.plan().map(String::strip).orElse("");
        Duration cache = group.duration("plan-cache", config.planCache(), Duration.ZERO, MAX_CACHE);
        if (!text.startsWith(BEAN)) {
            group.wrong("plan-cache", "has a meaning only for plan=bean:NAME. Remove it.");
        }
        if (config.plans().isEmpty() && !text.startsWith(BEAN)) {
            group.wrong("plan", "has no meaning without plans. Add " + group.path() + ".plans.<plan>.* or remove it.");
            group.wrong("plan-order", "has no meaning without plans. Remove it.");
            if (!text.isEmpty()) {
                source(text);
            }
            return PlanTable.NONE;
        }
        group.require("plan", config.plan(), "Set plan to the source of a caller's plan: claim:NAME, roles or bean:NAME.");
        List<Plan> all = new ArrayList<>();
        PlanReader reader = new PlanReader(group, config, limits);
        for (String name : inOrder(text)) {
            all.add(reader.read(name, plans.get(name)));
        }
        PlanSource source = source(text);
        return source == null ? PlanTable.NONE
                : new PlanTable(source, text.substring(text.indexOf(':') + 1).strip(), cache,
                        source == PlanSource.CLAIM ? warning : null, all);
    }

    private PlanSource source(String text) {
        if (text.equals(ROLES)) {
            return PlanSource.ROLES;
        }
        if (text.startsWith("claim:") && text.length() > "claim:".length()) {
            return PlanSource.CLAIM;
        }
        if (text.startsWith(BEAN) && text.length() > BEAN.length()) {
            BeanNames.require("RateLimitPlanResolver", text.substring(BEAN.length()).strip(), beans, group, "plan");
            return PlanSource.BEAN;
        }
        group.wrong("plan", KNOWN);
        return null;
    }

    private List<String> inOrder(String plan) {
        List<String> names = new ArrayList<>();
        List<String> order = items(config.planOrder());
        if (!order.isEmpty() && !plan.equals(ROLES)) {
            group.wrong("plan-order", "has a meaning only for plan=roles. Remove it.");
        } else {
            for (String name : order) {
                if (!plans.containsKey(name) && !plans.isEmpty()) {
                    group.wrong("plan-order",
                            "names no plan \"" + name + "\". Plans: " + String.join(", ", plans.keySet()) + ".");
                } else if (names.contains(name)) {
                    group.wrong("plan-order", "names " + name + " twice. Leave one out.");
                } else {
                    names.add(name);
                }
            }
        }
        plans.keySet().stream().filter(name -> !names.contains(name)).forEach(names::add);
        return names;
    }
}
