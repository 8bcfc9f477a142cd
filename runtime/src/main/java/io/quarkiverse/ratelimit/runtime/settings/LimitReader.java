package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.Property.duration;
import static io.quarkiverse.ratelimit.runtime.settings.Property.oneOf;
import static io.quarkiverse.ratelimit.runtime.settings.Property.whole;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.config.Lenient;
import io.quarkiverse.ratelimit.runtime.config.LimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.LimitSpec;

/**
 * Reads the properties of one limit. All of them are direct children of one path. Reports a property that the limit's
 * algorithm does not use as a mistake.
 */
final class LimitReader {

    private static final Set<Algorithm> TOKEN_BUCKET = EnumSet.of(Algorithm.TOKEN_BUCKET);
    private static final Set<Algorithm> BUCKETS = EnumSet.of(Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET);
    private static final Set<Algorithm> FIXED_WINDOW = EnumSet.of(Algorithm.FIXED_WINDOW);
    private static final Set<Algorithm> CONCURRENCY = EnumSet.of(Algorithm.CONCURRENCY);
    private static final Set<Algorithm> ALL_WITH_PERIOD = EnumSet.complementOf(EnumSet.of(Algorithm.CONCURRENCY));

    private final PropertyPath path;
    private final LimitConfig config;
    private final GivenProperties given;
    private final Mistakes mistakes;
    private final List<String> read = new ArrayList<>();
    /** {@code null} if it is invalid. Then the reader does not report properties that the algorithm does not use. */
    private final Algorithm algorithm;

    LimitReader(PropertyPath path, LimitConfig config, GivenProperties given, Mistakes mistakes) {
        this.path = path;
        this.config = config;
        this.given = given;
        this.mistakes = mistakes;
        this.algorithm = oneOf(Algorithm.class, property("algorithm", config.algorithm())).orElse(null);
    }

    /** The limit, or empty if it has mistakes. */
    Optional<Limit> read() {
        Long permits = permits();
        Duration period = period();
        Long burst = whole(property("burst", config.burst(), TOKEN_BUCKET), 1, Limit.MAX_PERMITS).orElse(permits);
        Refill refill = oneOf(Refill.class, property("refill", config.refill(), TOKEN_BUCKET)).orElse(Refill.GREEDY);
        Duration maxWait = maxWait();
        CalendarPeriod calendar = oneOf(CalendarPeriod.class, property("calendar", config.calendar(), FIXED_WINDOW))
                .orElse(null);
        ZoneId zone = zone();
        Duration leaseTime = leaseTime();
        Counts counts = oneOf(Counts.class, property("counts", config.counts())).orElse(null);

        if (read.stream().anyMatch(mistakes::isAbout)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LimitSpec(algorithm, permits, period, burst, refill, maxWait, calendar, zone, leaseTime,
                    counts).toLimit());
        } catch (IllegalArgumentException e) {
            mistakes.addBelow(path, ": " + e.getMessage() + ". Lower burst or period, or raise permits.");
            return Optional.empty();
        }
    }

    private Long permits() {
        Property<Long> permits = property("permits", config.permits())
                .required(
                        algorithm == Algorithm.CONCURRENCY ? "Set permits to the number of calls that may run at the same time."
                                : "Set permits to the number of permits per period.");
        return whole(permits, 1, Limit.MAX_PERMITS).orElse(null);
    }

    private Duration period() {
        Property<Duration> period = property("period", config.period(), ALL_WITH_PERIOD);
        if (hasCalendar()) {
            if (algorithm == Algorithm.FIXED_WINDOW) {
                period.wrong("has no meaning beside calendar. Remove one of them.");
                return null;
            }
        } else if (algorithm == Algorithm.FIXED_WINDOW) {
            period.required("Set period to the length of a window, for example 1m, or set calendar, for example to day.");
        } else if (ALL_WITH_PERIOD.contains(algorithm)) {
            period.required("Set period to the time in which the permits come back, for example 1m.");
        }
        return duration(period, Limit.MIN_PERIOD, Limit.MAX_PERIOD).orElse(null);
    }

    private Duration maxWait() {
        Property<Duration> maxWait = property("max-wait", config.maxWait(), BUCKETS);
        if (algorithm == Algorithm.LEAKY_BUCKET) {
            maxWait.required("Set max-wait to the longest delay of a call, for example 5s.");
        }
        Optional<Duration> wait = duration(maxWait, Duration.ZERO, Limit.MAX_PERIOD);
        if (algorithm == Algorithm.LEAKY_BUCKET && wait.filter(Duration::isZero).isPresent()) {
            maxWait.wrong("must be more than 0 for leaky-bucket, which delays the calls that come too early.");
        }
        return wait.orElse(Duration.ZERO);
    }

    private ZoneId zone() {
        Property<ZoneId> zone = property("zone", config.zone(), FIXED_WINDOW);
        if (hasCalendar()) {
            return Property.zone(zone).orElse(algorithm == Algorithm.FIXED_WINDOW ? ZoneOffset.UTC : null);
        }
        zone.wrong("has no meaning without calendar. Set calendar, for example to day, or remove zone.");
        return null;
    }

    private Duration leaseTime() {
        return duration(property("lease-time", config.leaseTime(), CONCURRENCY), Limit.MIN_LEASE_TIME, Limit.MAX_LEASE_TIME)
                .orElse(algorithm == Algorithm.CONCURRENCY ? Limit.DEFAULT_LEASE_TIME : null);
    }

    private boolean hasCalendar() {
        Property<CalendarPeriod> calendar = given.property(path.child("calendar"), config.calendar());
        return calendar.isGiven() || mistakes.isAbout(calendar.name());
    }

    /** A property that only these algorithms have. For other algorithms it is reported and absent. */
    private <T> Property<T> property(String name, Optional<T> value, Set<Algorithm> algorithms) {
        Property<T> property = property(name, value);
        if (algorithm == null || algorithms.contains(algorithm)) {
            return property;
        }
        if (property.text().isPresent()) {
            property.wrong("has no meaning for " + Lenient.written(algorithm) + ", only for " + Property.written(algorithms)
                    + ". Remove it, or choose another algorithm.");
        }
        return new Property<>(property.name(), Optional.empty(), Optional.empty(), mistakes);
    }

    private <T> Property<T> property(String name, Optional<T> value) {
        Property<T> property = given.property(path.child(name), value);
        read.add(property.name());
        return property;
    }
}
