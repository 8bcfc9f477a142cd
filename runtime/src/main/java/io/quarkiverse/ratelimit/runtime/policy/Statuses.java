package io.quarkiverse.ratelimit.runtime.policy;

import java.util.BitSet;

/** Holds the response statuses for which a call counts, parsed from a text such as {@code 401,403} or {@code 5xx}. */
public record Statuses(BitSet counted) {

    /** Every call counts, regardless of its response. */
    public static final Statuses ALL = new Statuses(null);

    private static final int MIN = 100;
    private static final int MAX = 599;

    /** @throws IllegalArgumentException if the text is not a list of statuses; the message describes the format */
    public static Statuses parse(String text) {
        BitSet counted = new BitSet(MAX + 1);
        for (String item : text.split(",", -1)) {
            String status = item.strip();
            if (status.matches("[1-5][xX]{2}")) {
                int first = 100 * (status.charAt(0) - '0');
                counted.set(first, first + 100);
            } else if (status.matches("[1-5]\\d\\d")) {
                counted.set(Integer.parseInt(status));
            } else {
                throw new IllegalArgumentException("must be statuses from " + MIN + " to " + MAX
                        + " or classes of them, comma-separated, like 401,403 or 5xx.");
            }
        }
        return new Statuses(counted);
    }

    /** Whether a call counts only for some statuses. */
    public boolean areRestricted() {
        return counted != null;
    }

    public boolean contain(int status) {
        return counted == null || counted.get(status);
    }
}
