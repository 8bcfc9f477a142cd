package io.quarkiverse.ratelimit.runtime.observe;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;

/** Names the source of a decision in metrics and traces. */
final class SourceText {

    private SourceText() {
    }

    /** @param source {@code null} without a decision */
    static String of(Source source) {
        if (source == null) {
            return "not_limited";
        }
        return switch (source) {
            case REDIS -> "redis";
            case DENIAL_CACHE -> "denial_cache";
            case PREFETCHED -> "prefetched";
            case MEMORY -> "memory";
            case FALLBACK -> "fallback";
            case NOT_LIMITED -> "not_limited";
        };
    }
}
