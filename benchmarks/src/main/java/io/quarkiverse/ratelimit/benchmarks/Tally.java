package io.quarkiverse.ratelimit.benchmarks;

/**
 * The results of calls.
 *
 * @param failed how many were not decided
 * @param failure the first reason for that, else {@code null}
 */
record Tally(long allowed, long denied, long failed, Throwable failure) {

    static final Tally NONE = new Tally(0, 0, 0, null);

    long decided() {
        return allowed + denied;
    }

    double allowedShare() {
        return (double) allowed / decided();
    }

    /** This tally with the failures of another one added. */
    Tally withFailuresOf(Tally other) {
        return plus(new Tally(0, 0, other.failed, other.failure));
    }

    Tally plus(Tally other) {
        return new Tally(allowed + other.allowed, denied + other.denied, failed + other.failed,
                failure == null ? other.failure : failure);
    }
}
