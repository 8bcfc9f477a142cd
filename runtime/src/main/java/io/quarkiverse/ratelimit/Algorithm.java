package io.quarkiverse.ratelimit;

/** The rule by which a limit counts; in configuration a constant is written in lower case with dashes. */
public enum Algorithm {

    /**
     * A bucket that starts full with {@code burst} permits and is refilled with {@code permits} per {@code period}.
     * Refilled evenly it is the generic cell rate algorithm (GCRA) of ITU-T I.371.
     */
    TOKEN_BUCKET
}
