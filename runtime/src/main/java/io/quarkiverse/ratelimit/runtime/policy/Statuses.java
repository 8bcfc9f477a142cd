package io.quarkiverse.ratelimit.runtime.policy;

import java.util.BitSet;

/**
 * Holds the response statuses for which a call counts, parsed from a text such as {@code 401,403}, {@code 5xx} or
 * {@code !2xx,!304}.
 */
public record Statuses(BitSet counted) {

    /** Statuses that count every call, regardless of its response. */
    public static final Statuses ALL = new Statuses(null);

    /** @throws IllegalArgumentException if the text is not a list of statuses; the message describes the format */
    public static Statuses parse(String text) {
        BitSet included = new BitSet();
        BitSet excluded = new BitSet();
        for (String item : text.split(",", -1)) {
            String status = item.strip();
            boolean excludes = status.startsWith("!");
            add(status.substring(excludes ? 1 : 0), excludes ? excluded : included);
        }
        if (included.isEmpty()) {
            // also statuses of no class, which a server may send
            included.set(100, 1000);
        }
        included.andNot(excluded);
        int first = included.nextSetBit(0);
        if (first < 0 || first >= 600) {
            throw new IllegalArgumentException("excludes every status, so no call would count. Remove a status with !, or use"
                    + " enabled=false.");
        }
        return new Statuses(included);
    }

    private static void add(String status, BitSet statuses) {
        if (status.matches("[1-5][xX]{2}")) {
            int first = 100 * (status.charAt(0) - '0');
            statuses.set(first, first + 100);
        } else if (status.matches("[1-5]\\d\\d")) {
            statuses.set(Integer.parseInt(status));
        } else {
            throw new IllegalArgumentException("must be statuses from 100 to 599 or classes of them, comma-separated, like"
                    + " 401,403 or 5xx; ! excludes, without a blank after it, as in !2xx,!304.");
        }
    }

    /** Returns whether a call counts only for certain statuses. */
    public boolean areRestricted() {
        return counted != null;
    }

    public boolean contain(int status) {
        return counted == null || counted.get(status);
    }
}
