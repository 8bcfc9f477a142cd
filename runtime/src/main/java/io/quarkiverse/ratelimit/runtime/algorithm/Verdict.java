package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.function.Supplier;

/**
 * What an act says before other limits are heard.
 *
 * @param granted how many permits it grants, 0 when it refuses
 * @param stored makes what to store if the call is charged, or, when it is refused, what repairs a state that is out of
 *        date; it makes {@code null} where the key is to be removed. {@code null} when nothing is to be written
 * @param expiresAt when what is stored no longer matters
 * @param first the first of the numbers that the script would answer
 */
public record Verdict(long granted, Supplier<Object> stored, long expiresAt, long first, long second, long third,
        long fourth) {

    /** A verdict without numbers. */
    static Verdict of(long granted, Supplier<Object> stored, long expiresAt) {
        return new Verdict(granted, stored, expiresAt, 0, 0, 0, 0);
    }

    public boolean admitted() {
        return granted > 0;
    }
}
