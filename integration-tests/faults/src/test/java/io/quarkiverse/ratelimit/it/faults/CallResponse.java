package io.quarkiverse.ratelimit.it.faults;

import java.time.Duration;

/**
 * The response to one call.
 *
 * @param started when the call was made, by {@link System#nanoTime}
 * @param status 0 without a response
 * @param redis whether Redis decided
 * @param retryAfter the header, or {@code null}
 */
record CallResponse(Endpoint endpoint, long started, Duration took, int status, boolean redis, String retryAfter) {

    boolean isAllowed() {
        return status == 200;
    }
}
