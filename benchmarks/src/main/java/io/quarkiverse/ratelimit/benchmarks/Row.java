package io.quarkiverse.ratelimit.benchmarks;

import java.util.Arrays;
import java.util.List;

/** The comparisons, each with real decisions of equal limits. */
enum Row {

    KEYS_ALLOWED("10 000 keys allowed", 10_000, 1, 500),
    /** Nine of ten callers have used up what they may. */
    KEYS_DENIED("10 000 keys 90 % denied", 10_000, 0.1, 500),
    KEY_ALLOWED("one key allowed", 1, 1, 500),
    /** Limited to a tenth of the contender's own speed; a turn is as long as the period of the limit. */
    KEY_DENIED("one key 90 % denied", 1, 0.1, 1_000),
    /** The same, where all permits come back together. */
    KEY_REFILLED_AT_ONCE("one key 90 % denied refilled at once", 1, 0.1, 1_000);

    final String title;
    /** Of all decisions, about. */
    final double allowed;
    /** How long a turn is. */
    final long nanos;
    private final int keys;

    Row(String title, int keys, double allowed, long millis) {
        this.title = title;
        this.keys = keys;
        this.allowed = allowed;
        this.nanos = millis * 1_000_000;
    }

    /** @param which {@code keys}, {@code key} or {@code all} */
    static List<Row> called(String which) {
        return switch (which) {
            case "keys" -> List.of(KEYS_ALLOWED, KEYS_DENIED);
            case "key" -> List.of(KEY_ALLOWED, KEY_DENIED, KEY_REFILLED_AT_ONCE);
            case "all" -> List.of(values());
            default -> throw new IllegalArgumentException("No rows are called " + which + " but keys, key and all");
        };
    }

    boolean denies() {
        return allowed < 1;
    }

    boolean dependsOnSpeed() {
        return this == KEY_DENIED || this == KEY_REFILLED_AT_ONCE;
    }

    boolean refilledAtOnce() {
        return this == KEY_REFILLED_AT_ONCE;
    }

    /** @param usual of those that are not used up */
    Rate[] rates(Rate usual) {
        Rate[] rates = new Rate[keys];
        Arrays.setAll(rates, key -> this == KEYS_DENIED && key % 10 > 0 ? Rate.ONCE : usual);
        return rates;
    }
}
