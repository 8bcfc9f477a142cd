package io.quarkiverse.ratelimit.runtime.algorithm.window;

import static java.time.temporal.ChronoUnit.DAYS;
import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.ratelimit.CalendarPeriod;

/** Windows begin where people in the time zone expect it, and never overlap. */
class CalendarEdgesTest {

    private static final Instant FIRST = Instant.parse("1970-01-10T00:00:00Z");
    private static final Instant LAST = Instant.parse("2040-01-01T00:00:00Z");

    @ParameterizedTest(name = "{0} of {1} at {2}")
    @CsvSource({
            "MINUTE, UTC, 2026-11-20T12:34:56.789Z, 2026-11-20T12:34:00Z, 2026-11-20T12:35:00Z",
            "MINUTE, Europe/Berlin, 2025-10-26T00:59:59.999999Z, 2025-10-26T00:59:00Z, 2025-10-26T01:00:00Z",
            "HOUR, UTC, 2026-11-20T12:00:00Z, 2026-11-20T12:00:00Z, 2026-11-20T13:00:00Z",
            "HOUR, UTC, 2026-11-20T11:59:59.999999Z, 2026-11-20T11:00:00Z, 2026-11-20T12:00:00Z",
            "HOUR, Asia/Kolkata, 2026-11-20T12:34:00Z, 2026-11-20T12:30:00Z, 2026-11-20T13:30:00Z",
            "DAY, UTC, 2026-11-20T12:34:56Z, 2026-11-20T00:00:00Z, 2026-11-21T00:00:00Z",
            "DAY, Asia/Tokyo, 2026-11-20T15:00:00Z, 2026-11-20T15:00:00Z, 2026-11-21T15:00:00Z",
            "WEEK, UTC, 2026-11-16T00:00:00Z, 2026-11-16T00:00:00Z, 2026-11-23T00:00:00Z",
            "WEEK, UTC, 2026-11-22T23:59:59.999999Z, 2026-11-16T00:00:00Z, 2026-11-23T00:00:00Z",
            "WEEK, America/New_York, 2025-03-09T12:00:00Z, 2025-03-03T05:00:00Z, 2025-03-10T04:00:00Z",
            "MONTH, UTC, 2026-11-20T12:34:56Z, 2026-11-01T00:00:00Z, 2026-12-01T00:00:00Z",
            "MONTH, Europe/Berlin, 2026-03-31T21:59:59Z, 2026-02-28T23:00:00Z, 2026-03-31T22:00:00Z",
            "YEAR, Asia/Tokyo, 2026-11-20T12:34:56Z, 2025-12-31T15:00:00Z, 2026-12-31T15:00:00Z" })
    void ordinaryWindows(CalendarPeriod period, ZoneId zone, Instant now, Instant start, Instant end) {
        assertWindow(period, zone, now, start, end);
    }

    @ParameterizedTest(name = "{0} of {1} at {2}")
    @CsvSource({
            "DAY, UTC, 2028-02-28T23:00:00Z, 2028-02-28T00:00:00Z, 2028-02-29T00:00:00Z",
            "DAY, UTC, 2028-02-29T23:00:00Z, 2028-02-29T00:00:00Z, 2028-03-01T00:00:00Z",
            "WEEK, UTC, 2028-02-29T23:00:00Z, 2028-02-28T00:00:00Z, 2028-03-06T00:00:00Z",
            "MONTH, UTC, 2027-02-28T23:00:00Z, 2027-02-01T00:00:00Z, 2027-03-01T00:00:00Z",
            "MONTH, UTC, 2028-02-28T23:00:00Z, 2028-02-01T00:00:00Z, 2028-03-01T00:00:00Z",
            "YEAR, UTC, 2028-12-31T23:00:00Z, 2028-01-01T00:00:00Z, 2029-01-01T00:00:00Z" })
    void leapDays(CalendarPeriod period, ZoneId zone, Instant now, Instant start, Instant end) {
        assertWindow(period, zone, now, start, end);
    }

    @ParameterizedTest(name = "{0} of {1} at {2}")
    @CsvSource({
            // 23 and 25 hours
            "DAY, Europe/Berlin, 2025-03-30T12:00:00Z, 2025-03-29T23:00:00Z, 2025-03-30T22:00:00Z",
            "DAY, Europe/Berlin, 2025-10-26T12:00:00Z, 2025-10-25T22:00:00Z, 2025-10-26T23:00:00Z",
            // there is no midnight
            "DAY, America/Sao_Paulo, 2018-11-04T03:00:00Z, 2018-11-04T03:00:00Z, 2018-11-05T02:00:00Z",
            "DAY, America/Sao_Paulo, 2018-11-04T02:59:59Z, 2018-11-03T03:00:00Z, 2018-11-04T03:00:00Z",
            "DAY, Africa/Cairo, 2023-04-28T12:00:00Z, 2023-04-27T22:00:00Z, 2023-04-28T21:00:00Z",
            "MONTH, America/Asuncion, 2017-10-31T12:00:00Z, 2017-10-01T04:00:00Z, 2017-11-01T03:00:00Z",
            // the last hour before midnight comes twice
            "DAY, America/Sao_Paulo, 2018-02-18T02:30:00Z, 2018-02-17T02:00:00Z, 2018-02-18T03:00:00Z",
            // midnight comes twice: at 1:00, and at 0:01, when it is the day before once more
            "DAY, America/Havana, 2025-11-02T05:30:00Z, 2025-11-02T04:00:00Z, 2025-11-03T05:00:00Z",
            "DAY, America/St_Johns, 2010-11-07T02:29:59Z, 2010-11-06T02:30:00Z, 2010-11-07T02:30:00Z",
            "DAY, America/St_Johns, 2010-11-07T02:45:00Z, 2010-11-07T02:30:00Z, 2010-11-08T03:30:00Z",
            "WEEK, America/St_Johns, 2010-11-07T02:45:00Z, 2010-11-01T02:30:00Z, 2010-11-08T03:30:00Z",
            // there was no 30 December
            "DAY, Pacific/Apia, 2011-12-30T09:59:59Z, 2011-12-29T10:00:00Z, 2011-12-30T10:00:00Z",
            "DAY, Pacific/Apia, 2011-12-30T10:00:00Z, 2011-12-30T10:00:00Z, 2011-12-31T10:00:00Z" })
    void daysOnWhichClocksChange(CalendarPeriod period, ZoneId zone, Instant now, Instant start, Instant end) {
        assertWindow(period, zone, now, start, end);
    }

    @ParameterizedTest(name = "{0} at {1}")
    @CsvSource({
            // 2:00 comes twice
            "Europe/Berlin, 2025-10-26T00:59:59.999999Z, 2025-10-26T00:00:00Z, 2025-10-26T01:00:00Z",
            "Europe/Berlin, 2025-10-26T01:00:00Z, 2025-10-26T01:00:00Z, 2025-10-26T02:00:00Z",
            // 2:00 does not come
            "Europe/Berlin, 2025-03-30T00:59:59.999999Z, 2025-03-30T00:00:00Z, 2025-03-30T01:00:00Z",
            "Europe/Berlin, 2025-03-30T01:00:00Z, 2025-03-30T01:00:00Z, 2025-03-30T02:00:00Z",
            // at 2:00 it is 1:30 again
            "Australia/Lord_Howe, 2025-04-05T14:00:00Z, 2025-04-05T14:00:00Z, 2025-04-05T15:30:00Z",
            "Australia/Lord_Howe, 2025-04-05T15:15:00Z, 2025-04-05T14:00:00Z, 2025-04-05T15:30:00Z",
            "Australia/Lord_Howe, 2025-04-05T15:30:00Z, 2025-04-05T15:30:00Z, 2025-04-05T16:30:00Z",
            // at 2:00 it is 2:30
            "Australia/Lord_Howe, 2025-10-04T15:29:59.999999Z, 2025-10-04T14:30:00Z, 2025-10-04T15:30:00Z",
            "Australia/Lord_Howe, 2025-10-04T15:30:00Z, 2025-10-04T15:30:00Z, 2025-10-04T16:00:00Z",
            // at 0:01 it is 23:01 again
            "America/St_Johns, 2010-11-07T02:30:00Z, 2010-11-07T02:30:00Z, 2010-11-07T03:30:00Z",
            "America/St_Johns, 2010-11-07T02:45:00Z, 2010-11-07T02:30:00Z, 2010-11-07T03:30:00Z",
            // at 0:01 it is 1:01
            "America/St_Johns, 2010-03-14T03:30:59Z, 2010-03-14T03:30:00Z, 2010-03-14T03:31:00Z",
            "America/St_Johns, 2010-03-14T03:31:00Z, 2010-03-14T03:31:00Z, 2010-03-14T04:30:00Z" })
    void hoursInWhichClocksChange(ZoneId zone, Instant now, Instant start, Instant end) {
        assertWindow(CalendarPeriod.HOUR, zone, now, start, end);
    }

    @Test
    void includesTwoWindowsBeforeAndThreeAfter() {
        long[] edges = new CalendarEdges(CalendarPeriod.DAY, ZoneId.of("Europe/Berlin"))
                .around(micros(Instant.parse("2025-10-26T12:00:00Z")));

        assertThat(edges).containsExactly(micros("2025-10-23T22:00:00Z"), micros("2025-10-24T22:00:00Z"),
                micros("2025-10-25T22:00:00Z"), micros("2025-10-26T23:00:00Z"), micros("2025-10-27T23:00:00Z"),
                micros("2025-10-28T23:00:00Z"), micros("2025-10-29T23:00:00Z"));
    }

    /** Around every change of every zone's clock. */
    @ParameterizedTest
    @EnumSource(CalendarPeriod.class)
    void windowsFollowEachOtherWithoutGaps(CalendarPeriod period) {
        for (ZoneId zone : zonesThatDiffer()) {
            CalendarEdges calendar = new CalendarEdges(period, zone);
            long[] checked = null;
            for (Instant at : changes(zone)) {
                for (long now = micros(at) - 1; now <= micros(at) + 1; now++) {
                    long[] edges = calendar.around(now);
                    if (now < edges[2] || now >= edges[3]
                            || !Arrays.equals(edges, checked) && !followEachOther(calendar, edges)) {
                        fail("%s at %s", calendar, at);
                    }
                    checked = edges;
                }
            }
        }
    }

    private static boolean followEachOther(CalendarEdges calendar, long[] edges) {
        boolean follow = true;
        for (int i = 1; i < edges.length; i++) {
            follow &= edges[i] > edges[i - 1] && calendar.start(edges[i] - 1) == edges[i - 1]
                    && calendar.start(edges[i]) == edges[i] && calendar.end(edges[i] - 1) == edges[i];
        }
        return follow;
    }

    private static Collection<ZoneId> zonesThatDiffer() {
        Map<ZoneRules, ZoneId> zones = new HashMap<>();
        for (String name : ZoneId.getAvailableZoneIds()) {
            zones.put(ZoneId.of(name).getRules(), ZoneId.of(name));
        }
        return zones.values();
    }

    private static List<Instant> changes(ZoneId zone) {
        List<Instant> changes = new ArrayList<>(List.of(FIRST));
        ZoneOffsetTransition change = zone.getRules().nextTransition(FIRST.plus(400, DAYS));
        while (change != null && change.getInstant().isBefore(LAST)) {
            changes.add(change.getInstant());
            change = zone.getRules().nextTransition(change.getInstant().plus(20, DAYS));
        }
        return changes;
    }

    private static void assertWindow(CalendarPeriod period, ZoneId zone, Instant now, Instant start, Instant end) {
        CalendarEdges calendar = new CalendarEdges(period, zone);

        assertThat(instant(calendar.start(micros(now)))).isEqualTo(start);
        assertThat(instant(calendar.end(micros(now)))).isEqualTo(end);
    }

    private static long micros(String instant) {
        return micros(Instant.parse(instant));
    }

    private static long micros(Instant instant) {
        return MICROS.between(Instant.EPOCH, instant);
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, MICROS);
    }
}
