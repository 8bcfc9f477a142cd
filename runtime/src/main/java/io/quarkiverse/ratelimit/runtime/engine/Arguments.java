package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.quarkiverse.ratelimit.Limit;

/** Checks what code and operators pass. Each method returns a valid argument and throws IllegalArgumentException otherwise. */
public final class Arguments {

    private Arguments() {
    }

    public static <T> T required(String name, T value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is required, but is null");
        }
        return value;
    }

    public static long cost(long cost) {
        if (cost < 1 || cost > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("cost must be 1 to 1000000000, but is " + cost);
        }
        return cost;
    }

    /** Returns a valid time in whole microseconds. */
    public static Duration time(String name, Duration time, Duration least) {
        required(name, time);
        if (time.compareTo(least) < 0 || time.compareTo(Limit.MAX_PERIOD) > 0) {
            String from = least.toSeconds() > 0 ? least.toSeconds() + " s" : least.toMillis() + " ms";
            throw new IllegalArgumentException(name + " must be " + from + " to 366 days, but is " + time);
        }
        return time.truncatedTo(ChronoUnit.MICROS);
    }
}
