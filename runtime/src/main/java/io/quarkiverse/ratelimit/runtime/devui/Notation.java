package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;

/** Formats values as in configuration, and waiting times in readable units. */
final class Notation {

    private static final String[] UNITS = { "d", "h", "m", "s", "ms" };
    private static final long[] NANOS = { 86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L,
            1_000_000L };

    private Notation() {
    }

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The duration in the largest unit in which it is a whole number. */
    static String of(Duration duration) {
        for (int i = 0; i < UNITS.length && !duration.isZero(); i++) {
            if (duration.toNanos() % NANOS[i] == 0) {
                return duration.toNanos() / NANOS[i] + UNITS[i];
            }
        }
        return duration.isZero() ? "0" : duration.toString();
    }

    static String of(ZoneId zone) {
        return zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId();
    }

    /** A short form of the limit, such as {@code token-bucket, 10 per 1m, burst 20}. */
    static String of(Limit limit) {
        StringBuilder text = new StringBuilder(of(limit.algorithm())).append(", ").append(limit.permits());
        if (limit.calendar() != null) {
            text.append(" per ").append(of(limit.calendar())).append(" in ").append(of(limit.zone()));
        } else if (limit.period() != null) {
            text.append(" per ").append(of(limit.period()));
        } else {
            text.append(" at the same time");
        }
        if (limit.algorithm() == Algorithm.TOKEN_BUCKET && limit.burst() != limit.permits()) {
            text.append(", burst ").append(limit.burst());
        }
        if (limit.counts() != Counts.COST) {
            text.append(", counts ").append(of(limit.counts()));
        }
        return text.toString();
    }

    /** A waiting time, rounded up, in milliseconds, tenths of seconds, or the two largest units. Empty for 0. */
    static String wait(Duration wait) {
        if (wait.isZero()) {
            return "";
        }
        long millis = wait.plusNanos(999_999).toMillis();
        if (millis < 1_000) {
            return millis + " ms";
        }
        long tenths = (millis + 99) / 100;
        if (tenths < 600) {
            return tenths / 10 + (tenths % 10 == 0 ? "" : "." + tenths % 10) + " s";
        }
        Duration seconds = Duration.ofSeconds((tenths + 9) / 10);
        if (seconds.toHours() == 0) {
            return seconds.toMinutes() + " min" + rest(seconds.toSecondsPart(), " s");
        }
        return seconds.toDays() == 0 ? seconds.toHours() + " h" + rest(seconds.toMinutesPart(), " min")
                : seconds.toDays() + " d" + rest(seconds.toHoursPart(), " h");
    }

    private static String rest(int count, String unit) {
        return count == 0 ? "" : " " + count + unit;
    }
}
