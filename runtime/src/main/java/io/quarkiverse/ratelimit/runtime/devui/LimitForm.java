package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Duration;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.LimitSpec;
import io.quarkus.runtime.configuration.DurationConverter;

/** Changes a limit to the values that a user entered in a form. Empty fields keep the current values. */
record LimitForm(String permits, String period, String burst) {

    private static final Pattern WHOLE = Pattern.compile("-?\\d{1,18}");

    /** @throws IllegalArgumentException if a value is not valid for this limit */
    Limit applyTo(Limit limit) {
        long newPermits = isEmpty(permits) ? limit.permits() : whole("Permits", permits);
        return LimitSpec.of(limit)
                .with(newPermits, isEmpty(period) ? limit.period() : duration("The period", period),
                        burst(limit, newPermits))
                .toLimit();
    }

    private long burst(Limit limit, long newPermits) {
        if (!isEmpty(burst)) {
            return whole("The burst", burst);
        }
        return limit.algorithm() == Algorithm.LEAKY_BUCKET ? limit.burst() : newPermits;
    }

    static long whole(String what, String text) {
        if (!isEmpty(text) && WHOLE.matcher(text.strip()).matches()) {
            long value = Long.parseLong(text.strip());
            if (value >= 1 && value <= Limit.MAX_PERMITS) {
                return value;
            }
        }
        throw new IllegalArgumentException(what + " must be a whole number from 1 to " + Limit.MAX_PERMITS + ", but "
                + shown(text));
    }

    static Duration duration(String what, String text) {
        Duration duration = null;
        try {
            duration = isEmpty(text) ? null : DurationConverter.parseDuration(text.strip());
        } catch (IllegalArgumentException | ArithmeticException noDuration) {
            // reported below
        }
        if (duration == null) {
            throw new IllegalArgumentException(
                    what + " must be a duration like 500ms, 10s, 1m, 1h or 1d, but " + shown(text));
        }
        return duration;
    }

    private static String shown(String text) {
        return isEmpty(text) ? "nothing is entered." : "is " + text + '.';
    }

    private static boolean isEmpty(String text) {
        return text == null || text.isBlank();
    }
}
