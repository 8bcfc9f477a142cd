package io.quarkiverse.ratelimit.runtime.devui;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Says which values make up a caller's key.
 *
 * @param labels of all values; none for one count for all
 * @param required how many of them must be given, from the first
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

    /** @throws IllegalArgumentException when a value is missing */
    CallerKey caller(List<String> values) {
        List<String> given = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++) {
            String value = values == null || i >= values.size() || values.get(i) == null ? "" : values.get(i).strip();
            if (!value.isEmpty()) {
                given.add(value);
            } else if (i < required || isGivenAfter(i, values)) {
                throw new IllegalArgumentException("Give a value for " + labels.get(i) + '.');
            }
        }
        return new CallerKey(given.isEmpty() ? List.of("") : given);
    }

    private static boolean isGivenAfter(int index, List<String> values) {
        return values != null && values.stream().skip(index + 1L).anyMatch(value -> value != null && !value.isBlank());
    }
}
