package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** The state of a limit, as its algorithm calculates it from the reply of a store. */
public record LimitUsage(String limit, Limit definition, boolean allowed, long permits, long remaining, Duration delay,
        Duration retryAfter, Duration nextPermitAfter, Duration resetAfter) implements LimitState {
}
