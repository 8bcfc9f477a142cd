package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.util.List;

/**
 * The tables of the page about the size of a Redis, calculated from what the benchmarks have measured. They calculate with the
 * rounded numbers that readers see.
 */
final class RedisSizing {

    /** The example of the page. */
    private static final int KEYS = 600_000, REQUESTS = 12_000, INSTANCES = 3, EVENT_LOOPS = 2, LIMITS = 2;
    private static final int ROUND_TRIP_MILLIS = 2;
    private static final int IN_FLIGHT = REQUESTS * ROUND_TRIP_MILLIS / 1000 / (INSTANCES * EVENT_LOOPS);

    private RedisSizing() {
    }

    static String limits() throws IOException {
        StringBuilder table = new StringBuilder(
                "[cols=\"2,2,2\"]\n|===\n|Limits of a call |Redis µs per decision |To one limit\n\n");
        for (Measured size : Measured.by("growth")) {
            if (size.text("part").equals("limits")) {
                table.append("|" + size.text("size") + "\n|" + Measured.digits(size.number("redis_us")) + "\n|"
                        + Measured.digits(toOneLimit(size)) + "\n\n");
            }
        }
        return table.append("|===\n").toString();
    }

    static String example() throws IOException {
        double bytes = shown(bytesPerKey());
        double megabytes = shown(KEYS * bytes / 1e6);
        double micros = shown(growth("in flight", IN_FLIGHT).number("redis_us"));
        double factor = shown(toOneLimit(growth("limits", LIMITS)));
        double both = shown(micros * factor);
        return "[cols=\"2,4,2\"]\n|===\n|What |Calculation |Result\n\n"
                + row("Memory",
                        "Minute limit: up to 300 000 keys, if all active users call within the same minute. Hour limit: 300 000"
                                + " keys. " + text(KEYS) + " * " + text(bytes) + " bytes",
                        text(megabytes) + " MB")
                + row("`maxmemory`", "Twice the memory, so that fragmentation and a larger peak do not lead to eviction. 2 * "
                        + text(megabytes) + " MB", text(2 * megabytes) + " MB")
                + row("In flight", text(REQUESTS) + " / " + INSTANCES * EVENT_LOOPS + " * 0.00" + ROUND_TRIP_MILLIS,
                        IN_FLIGHT + " per event loop")
                + row("Processor time",
                        text(micros) + " µs for one limit, " + text(factor) + " times as much for two: " + text(both)
                                + " µs. " + text(REQUESTS) + " * " + text(both) + " µs",
                        text(REQUESTS * both / 1e6) + " s per second")
                + row("Connections", INSTANCES + " * " + EVENT_LOOPS, String.valueOf(INSTANCES * EVENT_LOOPS))
                + "|===\n";
    }

    private static String row(String what, String calculation, String result) {
        return "|" + what + "\n|" + calculation + "\n|" + result + "\n\n";
    }

    /** The largest that the page shows. */
    private static double bytesPerKey() throws IOException {
        return Measured.by("growth").stream().filter(PerformanceTables::showsMemory)
                .mapToDouble(size -> size.number("bytes_per_key")).max().orElseThrow();
    }

    static double toOneLimit(Measured limits) throws IOException {
        return shown(limits.number("redis_us")) / shown(growth("limits", 1).number("redis_us"));
    }

    private static Measured growth(String part, int size) throws IOException {
        List<Measured> all = Measured.by("growth");
        return all.stream().filter(one -> one.text("part").equals(part) && one.text("size").equals(String.valueOf(size)))
                .findFirst().orElseThrow();
    }

    private static double shown(double number) {
        return Double.parseDouble(Measured.digits(number).replace(" ", ""));
    }

    private static String text(double number) {
        return Measured.digits(number);
    }
}
