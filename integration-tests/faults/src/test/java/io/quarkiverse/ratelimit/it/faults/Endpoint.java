package io.quarkiverse.ratelimit.it.faults;

import java.util.Locale;

/** What callers call; each has the policy of its name. */
enum Endpoint {

    /** Counted in memory while Redis is unavailable. */
    LOCAL("q=1000000"),
    /** Allowed then. */
    ALLOW("q=1000000"),
    /** Denied then. */
    DENY("q=1000000"),
    /** Counted in memory then, with a limit that is soon used up. */
    FEW("q=6"),
    /** Counted in memory then, with a limit that is refilled. */
    BUCKET("q=10"),
    /** Limits concurrency. */
    PARALLEL("q=1000"),
    /** Delays calls, so few proceed per second; its headers do not show the source of the decision. */
    PACED("q=1");

    private final String ofRedis;

    Endpoint(String ofRedis) {
        this.ofRedis = ofRedis;
    }

    String policy() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a {@code RateLimit-Policy} header shows the limit that Redis applies. */
    boolean isOfRedis(String header) {
        return header != null && (header + ';').contains(ofRedis + ';');
    }

    /** Whether each allowed call uses one permit, and the permits are never used up. */
    boolean isCounted() {
        return this == LOCAL || this == ALLOW || this == DENY;
    }

    /** Whether it is never denied while Redis decides. */
    boolean isNeverUsedUp() {
        return isCounted() || this == PARALLEL;
    }

    /** Whether its responses show the source of the decision. */
    boolean showsSource() {
        return this != PACED;
    }
}
