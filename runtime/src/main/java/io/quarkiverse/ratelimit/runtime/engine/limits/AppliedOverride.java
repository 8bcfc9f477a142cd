package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitOverride;

/**
 * An override that applies now.
 *
 * @param storedKey the stored form of the caller's key; empty for all callers
 * @param left how long it still applies
 */
public record AppliedOverride(String storedKey, Map<String, Limit> limits, Duration left) implements RateLimitOverride {

    @Override
    public Optional<String> key() {
        return Optional.of(storedKey).filter(key -> !key.isEmpty());
    }

    @Override
    public Optional<Duration> timeLeft() {
        return left.compareTo(Limit.MAX_PERIOD) > 0 ? Optional.empty() : Optional.of(left);
    }

    @Override
    public String toString() {
        return "RateLimitOverride[key=" + key().orElse("all") + ", limits=" + limits + ", "
                + timeLeft().map(time -> "timeLeft=" + time).orElse("until removed") + "]";
    }
}
