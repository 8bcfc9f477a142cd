package io.quarkiverse.ratelimit.runtime.admin;

import java.time.Duration;

import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.smallrye.mutiny.Uni;

/** Blocks the keys of limiters, and unblocks them. */
final class Blocks {

    private Blocks() {
    }

    static Uni<Void> block(ReactiveRateLimiter limiter, Duration duration) {
        return notSupported();
    }

    static Uni<Void> unblock(ReactiveRateLimiter limiter) {
        return notSupported();
    }

    private static Uni<Void> notSupported() {
        return Uni.createFrom().failure(new UnsupportedOperationException("Keys cannot be blocked yet."));
    }
}
