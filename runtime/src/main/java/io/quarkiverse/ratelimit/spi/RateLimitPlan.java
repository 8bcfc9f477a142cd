package io.quarkiverse.ratelimit.spi;

import java.util.Objects;

/** Which plan applies to a caller: the result of a {@link RateLimitPlanResolver}. */
public final class RateLimitPlan {

    private final String name;

    private RateLimitPlan(String name) {
        this.name = Objects.requireNonNull(name, "name");
    }

    /** The plan that is configured under this name; the policy's own limits apply when there is none. */
    public static RateLimitPlan named(String name) {
        return new RateLimitPlan(name);
    }

    /** The name of the configured plan. */
    public String name() {
        return name;
    }
}
