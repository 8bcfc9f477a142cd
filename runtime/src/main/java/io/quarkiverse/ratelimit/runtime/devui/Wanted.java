package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Duration;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkus.runtime.configuration.DurationConverter;

/** The numbers of a limit as somebody has typed them; what is empty stays as it is. */
record Wanted(String permits, String period, String burst) {

    private static final Pattern WHOLE = Pattern.compile("-?\\d{1,18}");

    /** @throws IllegalArgumentException when they are no numbers of such a limit */
    Limit inPlaceOf(Limit limit) {
        long wanted = isEmpty(permits) ? limit.permits() : whole("Permits", permits);
        return new Limit(limit.algorithm(), wanted, isEmpty(period) ? limit.period() : duration("The period", period),
                burst(limit, wanted), limit.refill(), limit.maxWait(), limit.calendar(), limit.zone(), limit.leaseTime());
    }

    private long burst(Limit limit, long wanted) {
        if (!isEmpty(burst)) {
            return whole("The burst", burst);
        }
        return limit.algorithm() == Algorithm.LEAKY_BUCKET ? limit.burst() : wanted;
    }

    static long whole(String what, String text) {
        if (isEmpty(text) || !WHOLE.matcher(text.strip()).matches()) {
            throw new IllegalArgumentException(what + " must be a whole number from 1 to " + Limit.MAX_PERMITS + ", but "
                    + shown(text));
        }
        return Long.parseLong(text.strip());
    }

    static Duration duration(String what, String text) {
        Duration duration = null;
        try {
            duration = isEmpty(text) ? null : DurationConverter.parseDuration(text.strip());
        } catch (IllegalArgumentException | ArithmeticException noDuration) {
            // is said below
        }
        if (duration == null) {
            throw new IllegalArgumentException(
                    what + " must be a duration like 500ms, 10s, 1m, 1h or 1d, but " + shown(text));
        }
        return duration;
    }

    private static String shown(String text) {
        return isEmpty(text) ? "nothing is given." : "is " + text + '.';
    }

    private static boolean isEmpty(String text) {
        return text == null || text.isBlank();
    }
}
