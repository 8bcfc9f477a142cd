package io.quarkiverse.ratelimit.docs;

import java.util.List;
import java.util.stream.LongStream;

/** The requests of one minute that all pictures show: some at leisure, a burst, one around an edge, too many for long. */
record Traffic(String name, long first, long every, int count) {

    /** Microseconds; all times are multiples of it. */
    static final long TICK = 25_000;
    static final long SECOND = 1_000_000;
    static final long END = 60 * SECOND;

    static final List<Traffic> ALL = List.of(
            new Traffic("one each 2 s", SECOND, 2 * SECOND, 5),
            new Traffic("burst of 14", 14 * SECOND, TICK, 14),
            new Traffic("10 before an edge", 29 * SECOND, 100_000, 10),
            new Traffic("10 after it", 30 * SECOND, 100_000, 10),
            new Traffic("two a second for 14 s", 42 * SECOND, 500_000, 28));

    /** When they arrive. */
    LongStream times() {
        return LongStream.range(0, count).map(n -> first + n * every);
    }

    boolean has(long at) {
        return at >= first && at < first + count * every;
    }
}
