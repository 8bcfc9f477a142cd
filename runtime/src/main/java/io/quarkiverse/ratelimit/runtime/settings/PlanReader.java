package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.Property.duration;
import static io.quarkiverse.ratelimit.runtime.settings.Property.trueOrFalse;
import static io.quarkiverse.ratelimit.runtime.settings.Property.whole;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.config.LimitConfig;
import io.quarkiverse.ratelimit.runtime.config.PlanConfig;
import io.quarkiverse.ratelimit.runtime.config.PlanLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Reads one plan of a policy: the limits that it replaces. */
final class PlanReader {

    private final PropertyPath path;
    private final PolicyConfig config;
    private final SortedMap<String, LimitConfig> ownLimits;
    private final GivenProperties given;
    private final Mistakes mistakes;

    /** @param path the path of the policy */
    PlanReader(PropertyPath path, PolicyConfig config, GivenProperties given, Mistakes mistakes) {
        this.path = path;
        this.config = config;
        this.ownLimits = Variables.withoutAppearances(config.limits(), path.child("limits"), given);
        this.given = given;
        this.mistakes = mistakes;
    }

    /** @param limits the policy's own limits */
    Plan read(String name, PlanConfig plan, List<PolicyLimit> limits) {
        PropertyPath place = path.child("plans", name);
        mistakes.requireName("plan", name, place);
        Property<Boolean> unlimited = given.property(place.child("unlimited"), plan.unlimited());
        boolean isUnlimited = trueOrFalse(unlimited).orElse(false);
        SortedMap<String, PlanLimitConfig> named = Variables.withoutAppearances(plan.limits(), place.child("limits"), given);
        List<PolicyLimit> changed = new ArrayList<>();
        if (isUnlimited && (hasValues(place) || !plan.limits().isEmpty())) {
            check(place, plan);
            named.forEach((limit, values) -> check(place.child("limits", limit), values));
            unlimited.wrong("cannot be combined with limits of the plan. Remove it or the limits.");
        } else if (config.limits().isEmpty()) {
            named.forEach((limit, values) -> unknown(place.child("limits", limit), values));
            if (hasValues(place)) {
                changed(PolicyLimit.DEFAULT_NAME, place, config, plan, limits, changed);
            }
        } else {
            if (hasValues(place)) {
                check(place, plan);
                mistakes.addBelow(place,
                        " has a limit without a name, but the policy has several limits. Set permits, period and"
                                + " burst in " + place + ".limits.<limit>.*.");
            }
            named.forEach((limit, values) -> {
                LimitConfig own = ownLimits.get(limit);
                if (own == null) {
                    unknown(place.child("limits", limit), values);
                } else {
                    changed(limit, place.child("limits", limit), own, values, limits, changed);
                }
            });
        }
        return new Plan(name, isUnlimited, changed);
    }

    private void unknown(PropertyPath place, PlanLimitConfig values) {
        check(place, values);
        if (ownLimits.isEmpty() && !config.limits().isEmpty()) {
            // the only name is empty, which is reported
            return;
        }
        mistakes.addBelow(place, " names no limit of the policy. Its limits: "
                + (config.limits().isEmpty() ? "one without a name, so leave out \"limits\" and its name"
                        : String.join(", ", ownLimits.keySet()) + ". Correct the name")
                + ".");
    }

    /** Reports values that are mistakes by themselves. */
    private void check(PropertyPath place, PlanLimitConfig values) {
        whole(given.property(place.child("permits"), values.permits()), 1, Limit.MAX_PERMITS);
        duration(given.property(place.child("period"), values.period()), Limit.MIN_PERIOD, Limit.MAX_PERIOD);
        whole(given.property(place.child("burst"), values.burst()), 1, Limit.MAX_PERMITS);
    }

    /** Only checks the values by themselves if the policy's own limit has mistakes. */
    private void changed(String name, PropertyPath place, LimitConfig own, PlanLimitConfig values, List<PolicyLimit> limits,
            List<PolicyLimit> changed) {
        if (limits.stream().anyMatch(limit -> limit.name().equals(name))) {
            new LimitReader(place, new ReplacedLimit(own, values, property -> given.contains(place.child(property))), given,
                    mistakes).read()
                    .ifPresent(limit -> changed.add(new PolicyLimit(name, limit)));
        } else {
            check(place, values);
        }
    }

    private boolean hasValues(PropertyPath place) {
        return Stream.of("permits", "period", "burst").anyMatch(property -> given.contains(place.child(property)));
    }

    /** The properties of a limit, with those that a plan replaces. */
    private record ReplacedLimit(LimitConfig own, PlanLimitConfig plan, Predicate<String> isGiven) implements LimitConfig {

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
