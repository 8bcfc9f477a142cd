package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.Property.duration;
import static io.quarkiverse.ratelimit.runtime.settings.Property.items;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

import io.quarkiverse.ratelimit.runtime.caller.MissingValueWarning;
import io.quarkiverse.ratelimit.runtime.config.PlanConfig;
import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanSource;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Reads which plans a policy has, and where the plan of a caller comes from. */
final class PlanTableReader {

    private static final String ROLES = "roles";
    private static final String BEAN = "bean:";
    private static final Duration MAX_CACHE = Duration.ofDays(1);
    private static final String KNOWN = "is not known. Known: claim:NAME, roles, bean:NAME.";

    private final PropertyPath path;
    private final PolicyConfig config;
    private final SortedMap<String, PlanConfig> plans;
    private final GivenProperties given;
    private final Map<String, Integer> beans;
    private final Mistakes mistakes;

    /**
     * @param path the path of the policy
     * @param beans the names of the plan resolver beans, each with its number of beans
     */
    PlanTableReader(PropertyPath path, PolicyConfig config, GivenProperties given, Map<String, Integer> beans,
            Mistakes mistakes) {
        this.path = path;
        this.config = config;
        this.plans = Variables.withoutAppearances(config.plans(), path.child("plans"), given);
        this.given = given;
        this.beans = beans;
        this.mistakes = mistakes;
    }

    /**
     * @param limits the policy's own limits
     * @param warning of claims that callers lack
     */
    PlanTable read(List<PolicyLimit> limits, MissingValueWarning warning) {
        Property<String> plan = property("plan", config.plan());
        Property<List<String>> order = property("plan-order", config.planOrder());
        String text = plan.value().map(String::strip).orElse("");
        Duration cache = cache(text);
        if (config.plans().isEmpty() && !text.startsWith(BEAN)) {
            plan.wrong("has no meaning without plans. Add " + path + ".plans.<plan>.* or remove it.");
            order.wrong("has no meaning without plans. Remove it.");
            if (plan.isGiven()) {
                source(plan, text);
            }
            return PlanTable.NONE;
        }
        plan.required("Set plan to the source of a caller's plan: claim:NAME, roles or bean:NAME.");
        List<Plan> all = new ArrayList<>();
        PlanReader reader = new PlanReader(path, config, given, mistakes);
        for (String name : inOrder(plan, order)) {
            all.add(reader.read(name, plans.get(name), limits));
        }
        PlanSource source = source(plan, text);
        return source == null ? PlanTable.NONE
                : new PlanTable(source, text.substring(text.indexOf(':') + 1).strip(), cache,
                        source == PlanSource.CLAIM ? warning : null, all);
    }

    private Duration cache(String plan) {
        Property<Duration> cache = property("plan-cache", config.planCache());
        if (!plan.startsWith(BEAN)) {
            cache.wrong("has a meaning only for plan=bean:NAME. Remove it.");
            return Duration.ZERO;
        }
        return duration(cache, Duration.ZERO, MAX_CACHE).orElse(Duration.ZERO);
    }

    private PlanSource source(Property<String> plan, String text) {
        if (text.equals(ROLES)) {
            return PlanSource.ROLES;
        }
        if (text.startsWith("claim:") && text.length() > "claim:".length()) {
            return PlanSource.CLAIM;
        }
        if (text.startsWith(BEAN) && text.length() > BEAN.length()) {
            BeanNames.require("RateLimitPlanResolver", text.substring(BEAN.length()).strip(), beans, plan);
            return PlanSource.BEAN;
        }
        plan.wrong(KNOWN);
        return null;
    }

    private List<String> inOrder(Property<String> plan, Property<List<String>> order) {
        List<String> names = new ArrayList<>();
        if (order.isGiven() && !plan.value().map(String::strip).filter(ROLES::equals).isPresent()) {
            order.wrong("has a meaning only for plan=roles. Remove it.");
        } else {
            for (String name : items(order)) {
                if (!plans.containsKey(name) && !plans.isEmpty()) {
                    order.wrong("names no plan \"" + name + "\". Plans: " + String.join(", ", plans.keySet()) + ".");
                } else if (names.contains(name)) {
                    order.wrong("names " + name + " twice. Leave one out.");
                } else {
                    names.add(name);
                }
            }
        }
        plans.keySet().stream().filter(name -> !names.contains(name)).forEach(names::add);
        return names;
    }

    private <T> Property<T> property(String name, Optional<T> value) {
        return given.property(path.child(name), value);
    }
}
