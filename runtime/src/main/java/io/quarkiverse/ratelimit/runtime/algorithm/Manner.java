package io.quarkiverse.ratelimit.runtime.algorithm;

/** How a call asks for permits; scripts know a constant by its place. */
public enum Manner {
    /** All of them or none. */
    TAKE,
    /** As many of them as there are, in whole multiples of the least. */
    UP_TO,
    /** All of them, even beyond the limit. */
    CHARGE,
    /** None: it only asks whether there were enough. */
    PEEK
}
