package io.quarkiverse.ratelimit;

/** A period of the calendar to which a fixed window is aligned in a time zone. */
public enum CalendarPeriod {

    MINUTE,
    HOUR,
    DAY,
    /** Starts on Monday. */
    WEEK,
    MONTH,
    YEAR
}
