package io.quarkiverse.ratelimit.runtime.observe;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;

/** Names who decided, as it is seen from outside. */
final class SourceText {

    private SourceText() {
    }

    /** @param source {@code null} where nothing was decided */
    static String of(Source source) {
        if (source == null) {
            return "none";
        }
        return switch (source) {
            case REDIS -> "redis";
            case DENIAL_CACHE -> "denial_cache";
            case FALLBACK -> "fallback";
            case NOT_LIMITED -> "none";
        };
    }
}
