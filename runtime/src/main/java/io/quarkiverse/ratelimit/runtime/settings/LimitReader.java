package io.quarkiverse.ratelimit.runtime.settings;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.config.LimitConfig;

/** Reads the properties of one limit, which lie side by side under {@code path}. */
record LimitReader(PropertyPath path, LimitConfig config, Mistakes mistakes) {

    /** The limit, or nothing when it is mistaken. */
    Optional<Limit> read() {
        Optional<Long> permits = property("permits", config.permits()).required("Say how many permits there are per period.")
                .whole(1, Limit.MAX_PERMITS);
        Optional<Duration> period = property("period", config.period())
                .required("Say in what time the permits come back, for example 1m.")
                .duration(Limit.MIN_PERIOD, Limit.MAX_PERIOD);
        Optional<Long> burst = property("burst", config.burst()).whole(1, Limit.MAX_PERMITS);
        Optional<Algorithm> algorithm = property("algorithm", config.algorithm()).oneOf(Algorithm.class);
        Optional<Refill> refill = property("refill", config.refill()).oneOf(Refill.class);

        if (permits.isEmpty() || period.isEmpty() || algorithm.isEmpty() || refill.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new Limit(algorithm.get(), permits.get(), period.get(), burst.or(() -> permits).get(), refill.get(),
                            Duration.ZERO, null, null, null));
        } catch (IllegalArgumentException e) {
            mistakes.add(path + ".*: " + e.getMessage() + ". Lower burst or period, or raise permits.");
            return Optional.empty();
        }
    }

    private Property property(String name, Optional<String> text) {
        return new Property(path.child(name).toString(), text, mistakes);
    }
}
