package io.quarkiverse.ratelimit.spi;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.quarkiverse.ratelimit.Limit;

/**
 * The limits that apply to a caller: the result of a {@link RateLimitPlanResolver}.
 * <ul>
 * <li>{@link #named} selects a plan that is configured in {@code plans.<plan>.*} of the policy. Without a plan of this name,
 * the policy's own limits apply.</li>
 * <li>{@link #of(Limit)} replaces the limit of a policy that has one limit. {@link #of(Map)} replaces limits of a policy by
 * name; the name of an only limit is {@code default}. Limits that are not named do not change.</li>
 * <li>{@link #unlimited} does not limit the caller.</li>
 * <li>Limits that do not fit the policy are ignored like those of a resolver that fails: a limit name that the policy does
 * not have, or one limit for a policy with several. A warning states the mistake, at most once per minute.</li>
 * <li>What a limit charges a call ({@link Limit#counts()}) stays that of the policy's own limit.</li>
 * <li>A change takes effect with the next decision, or after the policy's {@code plan-cache}. Permits in use are carried
 * over: 10 of 10 used and raised to 1000 leaves 990. A limit with another algorithm starts full, and windows with another
 * period count what the stored window contains.</li>
 * <li>An override by {@link io.quarkiverse.ratelimit.RateLimitAdmin} for the caller's key wins over a plan. A plan wins over
 * an override for all callers.</li>
 * </ul>
 */
public final class RateLimitPlan {

    private static final RateLimitPlan UNLIMITED = new RateLimitPlan(null, null, Map.of());

    private final String name;
    private final Limit limit;
    private final Map<String, Limit> limits;

    private RateLimitPlan(String name, Limit limit, Map<String, Limit> limits) {
        this.name = name;
        this.limit = limit;
        this.limits = limits;
    }

    /**
     * Returns the plan that is configured under this name. If there is none, the policy's own limits apply.
     *
     * @throws IllegalArgumentException when the name is {@code null}
     */
    public static RateLimitPlan named(String name) {
        return new RateLimitPlan(required("name", name), null, Map.of());
    }

    /**
     * Returns a plan with a limit in place of the only limit of the policy.
     *
     * @throws IllegalArgumentException when the limit is {@code null}
     */
    public static RateLimitPlan of(Limit limit) {
        return new RateLimitPlan(null, required("limit", limit), Map.of());
    }

    /**
     * Returns a plan with limits in place of those of the policy with the same names.
     *
     * @throws IllegalArgumentException when the map is empty or {@code null}, or contains {@code null}
     */
    public static RateLimitPlan of(Map<String, Limit> limits) {
        if (required("limits", limits).isEmpty()) {
            throw new IllegalArgumentException("limits must contain at least one limit, but is empty");
        }
        limits.forEach((name, limit) -> required("limit " + required("limit name", name), limit));
        return new RateLimitPlan(null, null, Map.copyOf(limits));
    }

    /** Does not limit the caller. Only an override for the caller's key still applies. */
    public static RateLimitPlan unlimited() {
        return UNLIMITED;
    }

    /** Returns the name of the configured plan. */
    public Optional<String> name() {
        return Optional.ofNullable(name);
    }

    /** Returns the limit that replaces the only limit of the policy. */
    public Optional<Limit> limit() {
        return Optional.ofNullable(limit);
    }

    /** Returns the limits that replace those of the policy, by name; empty for other plans. */
    public Map<String, Limit> limits() {
        return limits;
    }

    /** Returns whether the caller is not limited. */
    public boolean isUnlimited() {
        return this == UNLIMITED;
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof RateLimitPlan plan && Objects.equals(name, plan.name)
                && Objects.equals(limit, plan.limit) && limits.equals(plan.limits);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, limit, limits);
    }

    @Override
    public String toString() {
        return "RateLimitPlan["
                + (isUnlimited() ? "unlimited" : name != null ? "name=" + name : limit != null ? limit : limits) + "]";
    }

    private static <T> T required(String name, T value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is required, but is null");
        }
        return value;
    }
}
