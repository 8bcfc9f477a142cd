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

    /** Number of edges that {@link #around} returns, and position of the one at which the window begins. */
    private static final int EDGES = 7;
    static final int CURRENT = 2;

    /** Returns the edges of the window at this time, of two before it and of three after it, in order. */
    long[] around(long now) {
        long[] edges = new long[EDGES];
        edges[CURRENT] = start(now);
        for (int i = CURRENT; i > 0; i--) {
            edges[i - 1] = start(edges[i] - 1);
        }
        for (int i = CURRENT + 1; i < EDGES; i++) {
            edges[i] = end(edges[i - 1]);
        }
        return edges;
    }

    long start(long now) {
        return unit().isTimeBased() ? startOf(LimitUsage.micros(unit().getDuration()), now) : micros(firstDay(now));
    }

    long end(long now) {
        return unit().isTimeBased() ? endOf(LimitUsage.micros(unit().getDuration()), now)
                : micros(firstDay(now).plus(1, unit()));
    }

    /** Returns the unit of a window. Units are called like periods, in the plural. */
    private ChronoUnit unit() {
        return ChronoUnit.valueOf(period + "S");
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

    private long startOf(long unit, long now) {
        long start = now - sinceFull(unit, now);
        ZoneOffsetTransition change = zone.getRules().previousTransition(instant(now + 1));
        long changed = change == null ? Long.MIN_VALUE : micros(change.getInstant());
        return changed <= start ? start : begins(unit, changed) ? changed : startOf(unit, changed - 1);
    }

    private long endOf(long unit, long now) {
        long end = now + unit - sinceFull(unit, now);
        ZoneOffsetTransition change = zone.getRules().nextTransition(instant(now));
        long changed = change == null ? Long.MAX_VALUE : micros(change.getInstant());
        return changed > end ? end : begins(unit, changed) ? changed : endOf(unit, changed);
    }

    /** Returns whether a window begins at this change of the clock. */
    private boolean begins(long unit, long change) {
        long before = Math.floorDiv(change - 1 + offset(change - 1), unit),
                after = Math.floorDiv(change + offset(change), unit);
        return after > before || sinceFull(unit, change) == 0;
    }

    /** Returns the time since the clock showed a full unit. It ignores changes of the clock since then. */
    private long sinceFull(long unit, long time) {
        return Math.floorMod(time + offset(time), unit);
    }

    private long offset(long time) {
        return zone.getRules().getOffset(instant(time)).getTotalSeconds() * 1_000_000L;
    }

    private long micros(LocalDate day) {
        return micros(day.atStartOfDay(zone).toInstant());
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
