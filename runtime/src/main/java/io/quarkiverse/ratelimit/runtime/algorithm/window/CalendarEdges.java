package io.quarkiverse.ratelimit.runtime.algorithm.window;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;

/**
 * Computes where the windows of a calendar begin and end in a time zone. All times are microseconds since the epoch.
 *
 * <p>
 * Days, weeks, months and years begin at the first moment of their first day. Minutes and hours begin when the local time
 * shows a full one, so an hour that the clock repeats is two windows. They also begin when the clock is put forward into
 * another one. If the clock is put back to a time that is not a full hour, no window begins: the current hour continues.
 */
record CalendarEdges(CalendarPeriod period, ZoneId zone) {

    /** How many windows before and after the requested one {@link #around} includes. */
    private static final int BEFORE = 2, AFTER = 3;
    private static final int EDGES = BEFORE + 1 + AFTER + 1;

    /** Neighboring windows: the edges between them, in order. The current window is the middle one. */
    record Windows(long[] edges) {

        /** Whether the time lies in the current window. */
        boolean areAround(long now) {
            return edges[BEFORE] <= now && now < edges[BEFORE + 1];
        }

        /** When the current window ends. */
        long end() {
            return edges[BEFORE + 1];
        }
    }

    /** The windows around this time. */
    Windows around(long now) {
        long[] edges = new long[EDGES];
        edges[BEFORE] = start(now);
        for (int i = BEFORE; i > 0; i--) {
            edges[i - 1] = start(edges[i] - 1);
        }
        for (int i = BEFORE + 1; i < EDGES; i++) {
            edges[i] = end(edges[i - 1]);
        }
        return new Windows(edges);
    }

    /** When the window at this time began. */
    long start(long now) {
        return unit().isTimeBased() ? startOf(LimitUsage.micros(unit().getDuration()), now) : micros(firstDay(now));
    }

    /** When the window at this time ends. */
    long end(long now) {
        return unit().isTimeBased() ? endOf(LimitUsage.micros(unit().getDuration()), now)
                : micros(firstDay(now).plus(1, unit()));
    }

    private LocalDate firstDay(long now) {
        LocalDate today = LocalDate.ofInstant(instant(now), zone);
        LocalDate first = switch (period) {
            case WEEK -> today.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTH -> today.withDayOfMonth(1);
            case YEAR -> today.withDayOfYear(1);
            default -> today;
        };
        // shortly after midnight, the clock may have been put back to the previous day
        LocalDate next = first.plus(1, unit());
        return micros(next) <= now ? next : first;
    }

    private ChronoUnit unit() {
        return switch (period) {
            case MINUTE -> ChronoUnit.MINUTES;
            case HOUR -> ChronoUnit.HOURS;
            case DAY -> ChronoUnit.DAYS;
            case WEEK -> ChronoUnit.WEEKS;
            case MONTH -> ChronoUnit.MONTHS;
            case YEAR -> ChronoUnit.YEARS;
        };
    }

    private long micros(LocalDate day) {
        return micros(day.atStartOfDay(zone).toInstant());
    }

    private long startOf(long unit, long now) {
        long time = now;
        while (true) {
            long start = time - sinceFull(unit, time);
            ZoneOffsetTransition change = zone.getRules().previousTransition(instant(time + 1));
            if (change == null || micros(change.getInstant()) <= start) {
                return start;
            }
            time = micros(change.getInstant());
            if (begins(unit, change)) {
                return time;
            }
            time--;
        }
    }

    private long endOf(long unit, long now) {
        long time = now;
        while (true) {
            long end = time + unit - sinceFull(unit, time);
            ZoneOffsetTransition change = zone.getRules().nextTransition(instant(time));
            if (change == null || micros(change.getInstant()) > end) {
                return end;
            }
            time = micros(change.getInstant());
            if (begins(unit, change)) {
                return time;
            }
        }
    }

    /** Whether a window begins at this change of the clock. */
    private boolean begins(long unit, ZoneOffsetTransition change) {
        long time = micros(change.getInstant());
        long before = Math.floorDiv(time - 1 + offset(time - 1), unit), after = Math.floorDiv(time + offset(time), unit);
        return after > before || sinceFull(unit, time) == 0;
    }

    /** How long ago the clock showed a full unit, ignoring changes of the clock since then. */
    private long sinceFull(long unit, long time) {
        return Math.floorMod(time + offset(time), unit);
    }

    private long offset(long time) {
        return zone.getRules().getOffset(instant(time)).getTotalSeconds() * 1_000_000L;
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
