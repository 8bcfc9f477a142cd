package io.quarkiverse.ratelimit;

/** A period of the calendar, by which a fixed window may be aligned in a time zone. */
public enum CalendarPeriod {

    MINUTE,
    HOUR,
    DAY,
    /** Begins on Monday. */
    WEEK,
    MONTH,
    YEAR
}
