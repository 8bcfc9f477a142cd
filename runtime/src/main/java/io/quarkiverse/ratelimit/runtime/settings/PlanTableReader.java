package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.Property.duration;
import static io.quarkiverse.ratelimit.runtime.settings.Property.items;
import static io.quarkiverse.ratelimit.runtime.settings.Property.trueOrFalse;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.config.LimitConfig;
import io.quarkiverse.ratelimit.runtime.config.PlanConfig;
import io.quarkiverse.ratelimit.runtime.config.PlanLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanSource;
import io.quarkiverse.ratelimit.runtime.policy.Plans;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Reads the plans of one policy. */
final class PlansReader {

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
    PlansReader(PropertyPath path, PolicyConfig config, GivenProperties given, Map<String, Integer> beans, Mistakes mistakes) {
        this.path = path;
        this.config = config;
        this.plans = Variables.withoutAppearances(config.plans(), path.child("plans"), given);
        this.given = given;
        this.beans = beans;
        this.mistakes = mistakes;
    }

    /** @param limits the policy's own limits */
    Plans read(List<PolicyLimit> limits) {
        Property<String> plan = property("plan", config.plan());
        Property<List<String>> order = property("plan-order", config.planOrder());
        String text = plan.value().map(String::strip).orElse("");
        Duration cache = cache(text);
        if (plans.isEmpty() && !text.startsWith(BEAN)) {
            plan.wrong("has no meaning without plans. Add " + path.child("plans") + ".<plan>.* or remove it.");
            order.wrong("has no meaning without plans. Remove it.");
            return Plans.NONE;
        }
        plan.required("Say by what a caller's plan is known: claim:NAME, roles or bean:NAME.");
        List<Plan> all = new ArrayList<>();
        for (String name : inOrder(plan, order)) {
            all.add(plan(name, plans.get(name), limits));
        }
        PlanSource source = source(plan, text);
        return source == null ? Plans.NONE : new Plans(source, text.substring(text.indexOf(':') + 1).strip(), cache, all);
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
            BeanNames.require("RateLimitPlanResolver", text.substring(BEAN.length()), beans, plan);
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
                if (!plans.containsKey(name)) {
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

    private Plan plan(String name, PlanConfig plan, List<PolicyLimit> limits) {
        PropertyPath place = path.child("plans", name);
        mistakes.requireName("plan", name, place);
        Property<Boolean> unlimited = given.property(place.child("unlimited"), plan.unlimited());
        boolean isUnlimited = trueOrFalse(unlimited).orElse(false);
        List<PolicyLimit> changed = new ArrayList<>();
        if (isUnlimited && (givesNumbers(place) || !plan.limits().isEmpty())) {
            unlimited.wrong("leaves no meaning to other numbers of the plan. Remove it or them.");
        } else if (config.limits().isEmpty()) {
            plan.limits().keySet().forEach(limit -> unknown(place.child("limits", limit), limits));
            if (givesNumbers(place)) {
                changed(PolicyLimit.DEFAULT_NAME, place, config, plan, limits, changed);
            }
        } else {
            if (givesNumbers(place)) {
                mistakes.add(
                        place + ".* gives numbers, but the policy has several limits. Move them to the limit they are meant"
                                + " for: " + place + ".limits.<limit>.*.");
            }
            Variables.withoutAppearances(plan.limits(), place.child("limits"), given).forEach((limit, numbers) -> {
                LimitConfig own = config.limits().get(limit);
                if (own == null) {
                    unknown(place.child("limits", limit), limits);
                } else {
                    changed(limit, place.child("limits", limit), own, numbers, limits, changed);
                }
            });
        }
        return new Plan(name, isUnlimited, changed);
    }

    private void unknown(PropertyPath place, List<PolicyLimit> limits) {
        mistakes.add(place + ".* names no limit of the policy. Its limits: "
                + (config.limits().isEmpty() ? "one without a name, so leave out \"limits\" and its name"
                        : String.join(", ", new TreeSet<>(config.limits().keySet())) + ". Correct the name")
                + ".");
    }

    /** Skips a limit if the policy's own limit has mistakes. */
    private void changed(String name, PropertyPath place, LimitConfig own, PlanLimitConfig numbers, List<PolicyLimit> limits,
            List<PolicyLimit> changed) {
        if (limits.stream().anyMatch(limit -> limit.name().equals(name))) {
            new LimitReader(place, new Changed(own, numbers, property -> given.contains(place.child(property))), given,
                    mistakes).read()
                    .ifPresent(limit -> changed.add(new PolicyLimit(name, limit)));
        }
    }

    private boolean givesNumbers(PropertyPath place) {
        return Stream.of("permits", "period", "burst").anyMatch(property -> given.contains(place.child(property)));
    }

    private <T> Property<T> property(String name, Optional<T> value) {
        return given.property(path.child(name), value);
    }

    /** The properties of a limit, with those that a plan replaces. */
    private record Changed(LimitConfig own, PlanLimitConfig plan, Predicate<String> isGiven) implements LimitConfig {

        @Override
        public Optional<Long> permits() {
            return isGiven.test("permits") ? plan.permits() : own.permits();
        }

        @Override
        public Optional<Duration> period() {
            return isGiven.test("period") ? plan.period() : own.period();
        }

        @Override
        public Optional<Algorithm> algorithm() {
            return own.algorithm();
        }

        @Override
        public Optional<Long> burst() {
            return isGiven.test("burst") ? plan.burst() : own.burst();
        }

        @Override
        public Optional<Refill> refill() {
            return own.refill();
        }

        @Override
        public Optional<Duration> maxWait() {
            return own.maxWait();
        }

        @Override
        public Optional<CalendarPeriod> calendar() {
            return own.calendar();
        }

        @Override
        public Optional<ZoneId> zone() {
            return own.zone();
        }

        @Override
        public Optional<Duration> leaseTime() {
            return own.leaseTime();
        }

        @Override
        public Optional<Counts> counts() {
            return own.counts();
        }
    }
}
