package io.quarkiverse.ratelimit.benchmarks;

import java.util.Arrays;
import java.util.List;

/** What is compared, each with real decisions of limits that are alike. */
enum Row {

    KEYS_ADMITTED("10 000 keys admitted", 10_000, 1, 500),
    /** Nine of ten callers have used up what they may. */
    KEYS_REFUSED("10 000 keys 90 % refused", 10_000, 0.1, 500),
    KEY_ADMITTED("one key admitted", 1, 1, 500),
    /** Limited to a tenth of the contender's own speed; a turn is as long as the period of the limit. */
    KEY_REFUSED("one key 90 % refused", 1, 0.1, 1_000),
    /** The same, where all permits come back together. */
    KEY_REFILLED_AT_ONCE("one key 90 % refused refilled at once", 1, 0.1, 1_000);

    final String title;
    /** Of all decisions, about. */
    final double admitted;
    /** How long a turn is. */
    final long nanos;
    private final int keys;

    Row(String title, int keys, double admitted, long millis) {
        this.title = title;
        this.keys = keys;
        this.admitted = admitted;
        this.nanos = millis * 1_000_000;
    }

    /** @param which {@code keys}, {@code key} or {@code all} */
    static List<Row> called(String which) {
        return switch (which) {
            case "keys" -> List.of(KEYS_ADMITTED, KEYS_REFUSED);
            case "key" -> List.of(KEY_ADMITTED, KEY_REFUSED, KEY_REFILLED_AT_ONCE);
            case "all" -> List.of(values());
            default -> throw new IllegalArgumentException("No rows are called " + which + " but keys, key and all");
        };
    }

    boolean refuses() {
        return admitted < 1;
    }

    boolean dependsOnSpeed() {
        return this == KEY_REFUSED || this == KEY_REFILLED_AT_ONCE;
    }

    boolean refilledAtOnce() {
        return this == KEY_REFILLED_AT_ONCE;
    }

    /** @param usual of those that are not used up */
    Rate[] rates(Rate usual) {
        Rate[] rates = new Rate[keys];
        Arrays.setAll(rates, key -> this == KEYS_REFUSED && key % 10 > 0 ? Rate.ONCE : usual);
        return rates;
    }
}
