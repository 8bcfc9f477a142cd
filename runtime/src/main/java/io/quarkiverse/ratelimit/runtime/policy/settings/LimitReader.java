package io.quarkiverse.ratelimit.runtime.policy.settings;

import static io.quarkiverse.ratelimit.runtime.policy.settings.PropertyGroup.written;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.LimitSpec;
import io.quarkiverse.ratelimit.runtime.policy.config.LimitConfig;

/**
 * Reads the properties of one limit. Reports a property that the limit's algorithm does not use as a mistake.
 *
 * @param group properties of the limit, or those of a plan that replace some of them
 */
record LimitReader(PropertyGroup group, LimitConfig config, Optional<Long> permits, Optional<Duration> period,
        Optional<Long> burst) {

    static final List<String> PROPERTIES = List.of("algorithm", "counts", "permits", "period", "burst", "refill", "max-wait",
            "calendar", "zone", "lease-time");
    /** Properties that only certain algorithms have. */
    private static final List<String> NOT_OF_ALL = PROPERTIES.subList(PROPERTIES.indexOf("period"), PROPERTIES.size());

    LimitReader(PropertyGroup group, LimitConfig config) {
        this(group, config, config.permits(), config.period(), config.burst());
    }

    /** Returns the limit, or empty if it has mistakes. */
    Optional<Limit> read() {
        reportUnused();
        checkRanges(group, permits, period, burst);
        group.require("permits", permits, uses("lease-time")
                ? "Set permits to the number of calls that may run at the same time."
                : "Set permits to the number of permits per period.");
        checkPeriod();
        checkMaxWait();
        if (uses("zone") && !hasCalendar()) {
            group.wrong("zone", "has no meaning without calendar. Set calendar, for example to day, or remove zone.");
        }
        group.duration("lease-time", config.leaseTime(), Limit.MIN_LEASE_TIME, Limit.MAX_LEASE_TIME);
        return group.hasMistakes(PROPERTIES) ? Optional.empty() : limit();
    }

    /** Reports values that are mistakes whatever the other values are. An absent value is none. */
    static void checkRanges(PropertyGroup group, Optional<Long> permits, Optional<Duration> period, Optional<Long> burst) {
        group.whole("permits", permits.orElse(1L), 1, Limit.MAX_PERMITS);
        group.duration("period", period.orElse(Limit.MIN_PERIOD), Limit.MIN_PERIOD, Limit.MAX_PERIOD);
        group.whole("burst", burst.orElse(1L), 1, Limit.MAX_PERMITS);
    }

    private Optional<Limit> limit() {
        try {
            return Optional.of(new LimitSpec(config.algorithm(), permits.get(), period.orElse(null),
                    burst.orElse(permits.get()), config.refill(), config.maxWait(), config.calendar().orElse(null),
                    config.zone(), config.leaseTime(), config.counts()).toLimit());
        } catch (IllegalArgumentException e) {
            group.wrong(": " + e.getMessage() + ". Lower burst or period, or raise permits.");
            return Optional.empty();
        }
    }

    private void reportUnused() {
        for (String property : NOT_OF_ALL) {
            if (!uses(property) && group.text(property).isPresent()) {
                List<Algorithm> users = Stream.of(Algorithm.values()).filter(algorithm -> algorithm.has(property)).toList();
                group.wrong(property, "has no meaning for " + written(List.of(config.algorithm())) + ", only for "
                        + written(users) + ". Remove it, or choose another algorithm.");
            }
        }
    }

    private void checkPeriod() {
        if (uses("calendar") && hasCalendar()) {
            group.wrong("period", "has no meaning beside calendar. Remove one of them.");
        } else if (uses("period") && !hasCalendar()) {
            group.require("period", period, uses("calendar")
                    ? "Set period to the length of a window, for example 1m, or set calendar, for example to day."
                    : "Set period to the time in which the permits come back, for example 1m.");
        }
    }

    private void checkMaxWait() {
        group.duration("max-wait", config.maxWait(), Duration.ZERO, Limit.MAX_PERIOD);
        if (config.algorithm() == Algorithm.LEAKY_BUCKET && config.maxWait().isZero()) {
            group.require("max-wait", group.text("max-wait"), "Set max-wait to the longest delay of a call, for example 5s.");
            group.wrong("max-wait", "must be more than 0 for leaky-bucket, which delays the calls that come too early.");
        }
    }

    private boolean uses(String property) {
        return config.algorithm().has(property);
    }

    private boolean hasCalendar() {
        return !group.isAbsent("calendar", config.calendar());
    }
}
