package io.quarkiverse.ratelimit.runtime.policy;

import java.util.BitSet;

/**
 * Holds the response statuses for which a call counts, parsed from a text such as {@code 401,403}, {@code 5xx} or
 * {@code !2xx,!304}.
 */
public record Statuses(BitSet counted) {

    /** Every call counts, regardless of its response. */
    public static final Statuses ALL = new Statuses(null);

    private static final int MIN = 100;
    private static final int MAX = 599;
    private static final int MAX_SENT = 999;

    /** @throws IllegalArgumentException if the text is not a list of statuses; the message describes the format */
    public static Statuses parse(String text) {
        BitSet included = new BitSet(MAX + 1);
        BitSet excluded = new BitSet(MAX + 1);
        for (String item : text.split(",", -1)) {
            String status = item.strip();
            if (status.startsWith("!")) {
                add(status.substring(1).strip(), excluded);
            } else {
                add(status, included);
            }
        }
        requireSense(included, excluded);
        if (included.isEmpty()) {
            // also statuses of no class, which a server may send
            included.set(MIN, MAX_SENT + 1);
        }
        included.andNot(excluded);
        return new Statuses(included);
    }

    private static void add(String status, BitSet statuses) {
        if (status.matches("[1-5][xX]{2}")) {
            int first = 100 * (status.charAt(0) - '0');
            statuses.set(first, first + 100);
        } else if (status.matches("[1-5]\\d\\d")) {
            statuses.set(Integer.parseInt(status));
        } else {
            throw new IllegalArgumentException("must be statuses from " + MIN + " to " + MAX
                    + " or classes of them, comma-separated, like 401,403 or 5xx; ! excludes, as in !2xx,!304.");
        }
    }

    /** A mixture is plain if each excluded status is one of those that the others include, but not the only one. */
    private static void requireSense(BitSet included, BitSet excluded) {
        BitSet elsewhere = (BitSet) excluded.clone();
        elsewhere.andNot(included);
        if (!included.isEmpty() && !elsewhere.isEmpty()) {
            throw new IllegalArgumentException("excludes " + elsewhere.nextSetBit(0) + ", which is not among the statuses that"
                    + " it includes. Write only statuses that count, like 401,403, only statuses that do not count, like"
                    + " !2xx,!304, or a class without some of it, like 4xx,!404.");
        }
        BitSet left = (BitSet) included.clone();
        left.andNot(excluded);
        if (left.isEmpty() && (!included.isEmpty() || excluded.cardinality() > MAX - MIN)) {
            throw new IllegalArgumentException("excludes every status, so no call would count. Remove a status with !, or use"
                    + " enabled=false.");
        }
    }

    /** Whether a call counts only for some statuses. */
    public boolean areRestricted() {
        return counted != null;
    }

    public boolean contain(int status) {
        return counted == null || counted.get(status);
    }
}
