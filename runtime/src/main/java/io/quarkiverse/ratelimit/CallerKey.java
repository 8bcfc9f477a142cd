package io.quarkiverse.ratelimit;

import java.util.List;
import java.util.Objects;

/**
 * Who is calling, as plain values in the order of the parts of the policy's {@code key}. A policy whose key is configured
 * takes as many values as it has parts, one with {@code key=global} any, one without a key at least one.
 *
 * @param values at least one, none of them {@code null}
 */
public record CallerKey(List<String> values) {

    /** @throws IllegalArgumentException when there is no value */
    public CallerKey {
        values = List.copyOf(values);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("A key has at least one value");
        }
    }

    /** The key of these values. */
    public static CallerKey of(String... values) {
        for (String value : values) {
            Objects.requireNonNull(value, "A value of a key is null");
        }
        return new CallerKey(List.of(values));
    }
}
