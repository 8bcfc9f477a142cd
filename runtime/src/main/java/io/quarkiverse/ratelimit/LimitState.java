package io.quarkiverse.ratelimit;

import java.time.Duration;

/**
 * How one limit stood when a call was decided.
 *
 * @param limit the limit's name
 * @param numbers the limit as it was applied
 * @param allowed whether this limit would have let the call through
 * @param permits the capacity
 * @param remaining the permits left after the decision, 0 to {@code permits}
 * @param delay how long this limit holds the call back
 * @param retryAfter how long until the same call is admitted by this limit if nobody else calls; zero when it was
 *        admitted, and when it never will be
 * @param nextPermitAfter how long until {@code remaining} grows; zero when the limit is full, and where nobody knows
 * @param resetAfter how long until nothing counts any more and the limit is full; zero where nobody knows
 */
public record LimitState(String limit, Limit numbers, boolean allowed, long permits, long remaining, Duration delay,
        Duration retryAfter, Duration nextPermitAfter, Duration resetAfter) {
}
