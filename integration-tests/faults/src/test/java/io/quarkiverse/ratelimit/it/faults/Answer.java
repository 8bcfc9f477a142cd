package io.quarkiverse.ratelimit.it.faults;

import java.time.Duration;

/**
 * What a caller got.
 *
 * @param asked when it called, by {@link System#nanoTime}
 * @param status 0 when there was no answer
 * @param redis whether Redis has decided
 * @param retryAfter the header, or {@code null}
 */
record Answer(Endpoint endpoint, long asked, Duration took, int status, boolean redis, String retryAfter) {

    boolean isAdmitted() {
        return status == 200;
    }
}
