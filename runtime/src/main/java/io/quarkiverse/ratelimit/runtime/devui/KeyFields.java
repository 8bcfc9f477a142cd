package io.quarkiverse.ratelimit.runtime.devui;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * The input fields for the values of a caller's key.
 *
 * @param labels the labels of all values; empty for {@code key=global}
 * @param required how many of the first values are required
 */
record KeyFields(List<String> labels, int required) {

    static KeyFields of(Policy policy, int arguments) {
        if (policy.key() == null && arguments == 0) {
            return new KeyFields(List.of("key"), 1);
        }
        List<String> labels = new ArrayList<>(policy.key() == null ? List.of() : policy.key().parts());
        int required = labels.size();
        for (int i = 1; i <= arguments; i++) {
            labels.add("@RateLimitKey " + i);
        }
        return new KeyFields(labels, required);
    }

    /** @throws IllegalArgumentException if a value is missing */
    String[] caller(List<String> values) {
        List<String> given = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++) {
            String value = values == null || i >= values.size() || values.get(i) == null ? "" : values.get(i).strip();
            if (!value.isEmpty()) {
                given.add(value);
            } else if (i < required || isGivenAfter(i, values)) {
                throw new IllegalArgumentException("Enter a value for " + labels.get(i) + '.');
            }
        }
        return given.toArray(String[]::new);
    }

    private static boolean isGivenAfter(int index, List<String> values) {
        return values != null && values.stream().skip(index + 1L).anyMatch(value -> value != null && !value.isBlank());
    }
}
