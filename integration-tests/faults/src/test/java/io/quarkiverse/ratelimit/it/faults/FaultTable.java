package io.quarkiverse.ratelimit.it.faults;

import io.quarkiverse.ratelimit.it.faults.Fault.Counts;
import io.quarkiverse.ratelimit.it.faults.Fault.Sight;

/** The table of the documentation, of which {@link FaultsTest} sees every cell. */
final class FaultTable {

    private FaultTable() {
    }

    static String text() {
        StringBuilder table = new StringBuilder("""
                [cols="4,2,2,2,3,3,2"]
                |===
                |What happens |`local` |`allow` |`deny` |A call waits |What was answered is counted |`rate.limit.redis` tells

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
            case MOMENT -> "3+|those under way: as when Redis is away; all others: Redis decides\n";
            case AWAY, SILENT -> "|counted in memory\n|admitted\n|503\n";
        };
    }

    private static String wait(Sight sight) {
        return switch (sight) {
            case NOTHING -> "for Redis, within `timeout`";
            case MOMENT -> "at most `timeout`";
            case AWAY -> "for nothing";
            case SILENT -> "for `timeout` at first, then for nothing";
        };
    }

    private static String counted(Counts counts) {
        return switch (counts) {
            case KEPT -> "exactly";
            case PERHAPS_MORE -> "once, and perhaps what Redis took unheard";
            case LOST -> "from the beginning, as the counts are lost";
        };
    }
}
