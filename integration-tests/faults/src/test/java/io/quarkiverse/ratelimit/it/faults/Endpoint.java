package io.quarkiverse.ratelimit.it.faults;

import java.util.Locale;

/** What callers call; each is under the policy of its name. */
enum Endpoint {

    /** Counted in memory while Redis is away. */
    LOCAL("q=1000000"),
    /** Admitted then. */
    ALLOW("q=1000000"),
    /** Refused then. */
    DENY("q=1000000"),
    /** Counted in memory then, by a limit that is soon used up. */
    FEW("q=6"),
    /** Counted in memory then, by a limit that fills again. */
    BUCKET("q=10"),
    /** Limited in how many run at the same time. */
    PARALLEL("q=1000"),
    /** Held back, so that few go ahead in a second; its headers do not tell who has decided. */
    PACED("q=1");

    private final String ofRedis;

    Endpoint(String ofRedis) {
        this.ofRedis = ofRedis;
    }

    String policy() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the numbers of a {@code RateLimit-Policy} header are those by which Redis decides. */
    boolean isOfRedis(String header) {
        return header != null && (header + ';').contains(ofRedis + ';');
    }

    /** Whether its permits are exactly so many as calls were admitted, and never used up. */
    boolean isCounted() {
        return this == LOCAL || this == ALLOW || this == DENY;
    }

    /** Whether it is never refused while Redis decides. */
    boolean isNeverUsedUp() {
        return isCounted() || this == PARALLEL;
    }

    /** Whether its answers tell who has decided. */
    boolean tellsWhoDecided() {
        return this != PACED;
    }
}
