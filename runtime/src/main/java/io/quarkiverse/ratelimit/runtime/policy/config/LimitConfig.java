package io.quarkiverse.ratelimit.runtime.policy.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;

import org.eclipse.microprofile.config.spi.Converter;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Refill;
import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;

/** One limit: a number of permits per period, counted by an algorithm. */
@ConfigGroup
public interface LimitConfig {

    /**
     * Number of permits per {@code period}; for {@code concurrency} the number of calls that may run at the same time. From 1
     * to 1000000000. Required in the policy, or in each of its {@code limits}.
     */
    Optional<Long> permits();

    /**
     * Time in which {@code permits} permits come back; the length of a window or of a log. From 1 ms to 366 days, in whole
     * microseconds. Required in the policy, or in each of its {@code limits}. Not allowed with {@code calendar}, nor for
     * {@code concurrency}.
     */
    Optional<Duration> period();

    /** Algorithm that counts the calls. */
    @WithDefault("token-bucket")
    Algorithm algorithm();

    /**
     * Capacity of a {@code token-bucket}: how many permits a caller can acquire at once after a pause. From 1 to 1000000000;
     * {@code burst * period / permits} is at most 100 years. Other algorithms do not have it.
     */
    @ConfigDocDefault("the value of permits")
    Optional<Long> burst();

    /** Times at which the permits of a {@code token-bucket} come back. Other algorithms do not have it. */
    @WithDefault("greedy")
    Refill refill();

    /**
     * Longest time for which a {@code token-bucket} or a {@code leaky-bucket} delays a call that comes too early, instead of
     * denying it at once. Up to 366 days, in whole microseconds. A {@code leaky-bucket} requires it, with more than 0. Other
     * algorithms do not have it.
     */
    @WithDefault("0")
    @ConfigDocDefault("0")
    Duration maxWait();

    /** Aligns the windows of {@code fixed-window} to the calendar; replaces {@code period}. Other algorithms do not have it. */
    Optional<CalendarPeriod> calendar();

    /** Time zone of {@code calendar}, such as {@code Europe/Berlin} or {@code +02:00}. Allowed only with {@code calendar}. */
    @WithDefault("UTC")
    @WithConverter(ZoneConverter.class)
    ZoneId zone();

    /**
     * Time after which {@code concurrency} returns the permits of a crashed instance. An instance that is alive renews them
     * while its calls run. From 1 s to 1 day, in whole microseconds. Other algorithms do not have it.
     */
    @WithDefault("30s")
    @ConfigDocDefault("30s")
    Duration leaseTime();

    /**
     * Charge for a call: {@code cost} is its cost, {@code calls} 1 permit, whatever the call costs. So one policy can limit,
     * for example, tokens per minute and requests per minute.
     */
    @WithDefault("cost")
    Counts counts();

    /** Values that replace those of a limit. */
    @ConfigGroup
    interface PlanLimitConfig {

        /** Replaces the number of permits. */
        @ConfigDocDefault("the policy's value")
        Optional<Long> permits();

        /** Replaces the period. */
        @ConfigDocDefault("the policy's value")
        Optional<Duration> period();

        /** Replaces the capacity of a {@code token-bucket}. */
        @ConfigDocDefault("the policy's value; if it has none, the permits of the plan")
        Optional<Long> burst();
    }

    /** Converts time zones. SmallRye Config names the property and the value of an {@code IllegalArgumentException} only. */
    final class ZoneConverter implements Converter<ZoneId> {

        /** Replaces a zone with a constant offset by that offset. */
        @Override
        public ZoneId convert(String text) {
            try {
                return ZoneId.of(text.strip()).normalized();
            } catch (DateTimeException e) {
                throw new IllegalArgumentException("Not a time zone. Write it like Europe/Berlin, UTC or +02:00.", e);
            }
        }
    }
}
