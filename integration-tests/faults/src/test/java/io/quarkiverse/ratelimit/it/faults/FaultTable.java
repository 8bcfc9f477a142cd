package io.quarkiverse.ratelimit.it.faults;

import io.quarkiverse.ratelimit.it.faults.Fault.Counts;
import io.quarkiverse.ratelimit.it.faults.Fault.Sight;

/** The table of the documentation; {@link FaultsTest} tests every cell. */
final class FaultTable {

    private FaultTable() {
    }

    static String text() {
        StringBuilder table = new StringBuilder("""
                [cols="4,2,2,2,3,3,2"]
                |===
                |What happens |`local` |`allow` |`deny` |A call waits |Allowed calls are counted |Result of `rate.limit.redis`

                """);
        for (Fault fault : Fault.values()) {
            table.append('|').append(fault.what).append('\n').append(seen(fault.sight)).append('|').append(wait(fault.sight))
                    .append("\n|").append(counted(fault.counts)).append("\n|`")
                    .append(String.join("`, then `", fault.results())).append("`\n\n");
        }
        return table.append("|===\n").toString();
    }

    private static String seen(Sight sight) {
        return switch (sight) {
            case NOTHING -> "3+|Redis decides\n";
            case MOMENT -> "3+|calls in progress: as during an outage; all others: Redis decides\n";
            case UNAVAILABLE, SILENT -> "|counted in memory\n|allowed\n|503\n";
        };
    }

    private static String wait(Sight sight) {
        return switch (sight) {
            case NOTHING -> "for Redis, within `timeout`";
            case MOMENT -> "at most `timeout`";
            case UNAVAILABLE -> "not at all";
            case SILENT -> "for `timeout` at first, then not at all";
        };
    }

    private static String counted(Counts counts) {
        return switch (counts) {
            case KEPT -> "exactly";
            case PERHAPS_MORE -> "once, perhaps also calls whose reply was lost";
            case LOST -> "from zero: the counts are lost";
        };
    }
}
