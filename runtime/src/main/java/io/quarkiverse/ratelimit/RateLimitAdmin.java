package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Shows and changes the limits in force while the application runs, and waits for each reply: for worker threads and virtual
 * threads. {@link ReactiveRateLimitAdmin} has the same methods for event loops.
 *
 * <pre>
 * &#64;Inject
 * RateLimitAdmin admin;
 *
 * admin.override("email", "alice", Limit.slidingWindow(100, Duration.ofHours(1)), Duration.ofMinutes(30));
 * </pre>
 *
 * <ul>
 * <li>Overrides are stored in Redis, and all instances apply them within a second. What a caller has used stays used,
 * unless the algorithm changes.</li>
 * <li>An override for a key wins over a plan, and a plan over an override for the policy.</li>
 * <li>An override lives for 1 s to 366 days, or until it is removed.</li>
 * <li>A policy with several limits takes a map of limits by name; limits that are not named do not change.</li>
 * <li>A key of one part is a {@code String}; a key of several parts is a list in the order of the parts.</li>
 * <li>Methods fail with {@link IllegalArgumentException} for unknown policies, unknown limits, keys with another number of
 * parts and keys that no caller can have, such as {@code no-address} for {@code key=ip}. They fail with
 * {@link IllegalStateException} when Redis is unavailable, except those that return limits and overrides: these return what
 * was last read.</li>
 * </ul>
 */
public interface RateLimitAdmin {

    /** The limits in force for callers without a plan, by name. */
    Map<String, Limit> limits(String policy);

    /**
     * The limits in force for one caller, by name; empty when its plan is unlimited. A plan of a bean is what the bean returns
     * for this key outside of a request. Plans from roles and claims are not known here.
     */
    Map<String, Limit> limits(String policy, String key);

    /**
     * The limits in force for one caller, by name; empty when its plan is unlimited. A plan of a bean is what the bean returns
     * for this key outside of a request. Plans from roles and claims are not known here.
     */
    Map<String, Limit> limits(String policy, List<String> key);

    /** Applies another limit to all callers of a policy with one limit, until it is removed. */
    void override(String policy, Limit limit);

    /** Applies another limit to all callers of a policy with one limit. */
    void override(String policy, Limit limit, Duration duration);

    /** Applies other limits to all callers of a policy, until they are removed. */
    void override(String policy, Map<String, Limit> limits);

    /** Applies other limits to all callers of a policy. */
    void override(String policy, Map<String, Limit> limits, Duration duration);

    /** Applies another limit to one caller of a policy with one limit, until it is removed. */
    default void override(String policy, String key, Limit limit) {
        override(policy, Collections.singletonList(key), limit);
    }

    /** Applies another limit to one caller of a policy with one limit. */
    default void override(String policy, String key, Limit limit, Duration duration) {
        override(policy, Collections.singletonList(key), limit, duration);
    }

    /** Applies another limit to one caller of a policy with one limit, until it is removed. */
    void override(String policy, List<String> key, Limit limit);

    /** Applies another limit to one caller of a policy with one limit. */
    void override(String policy, List<String> key, Limit limit, Duration duration);

    /** Applies other limits to one caller of a policy, until they are removed. */
    default void override(String policy, String key, Map<String, Limit> limits) {
        override(policy, Collections.singletonList(key), limits);
    }

    /** Applies other limits to one caller of a policy. */
    default void override(String policy, String key, Map<String, Limit> limits, Duration duration) {
        override(policy, Collections.singletonList(key), limits, duration);
    }

    /** Applies other limits to one caller of a policy, until they are removed. */
    void override(String policy, List<String> key, Map<String, Limit> limits);

    /** Applies other limits to one caller of a policy. */
    void override(String policy, List<String> key, Map<String, Limit> limits, Duration duration);

    /** Removes the override of a policy, if there is one. Overrides for keys stay. */
    void removeOverride(String policy);

    /** Removes the override for one caller, if there is one. */
    void removeOverride(String policy, String key);

    /** Removes the override for one caller, if there is one. */
    void removeOverride(String policy, List<String> key);

    /** The overrides of a policy: the one for all callers first, then by key. */
    List<RateLimitOverride> overrides(String policy);

    /**
     * The keys that a policy denied most during the last minute, over all instances, the most denied first.
     * <ul>
     * <li>Counts cover the last 50 to 60 s and are about a second old. They are never too high. They are exact while at most
     * 250 keys are denied. With more keys, those that are denied rarely may be missing, or counted too low.</li>
     * <li>Denials by the denial cache count. Denials in shadow mode, without a key, and because Redis is unavailable do
     * not.</li>
     * </ul>
     *
     * @param count the most keys to return, 1 to 100
     */
    List<DeniedKey> mostDenied(String policy, int count);

    /**
     * The keys that are blocked now, by the policy's {@code penalty} or by {@link RateLimiter#block}, over all instances, the
     * longest block first. A policy in shadow mode would deny them.
     * <ul>
     * <li>At most 300 keys of a policy are remembered. If more are blocked, those whose blocks end first are missing.</li>
     * <li>A new block of a penalty is listed within about a second. If one instance has more than 250 new ones in a second, the
     * others are listed when they are denied again.</li>
     * <li>Limiters that code creates are not listed.</li>
     * </ul>
     */
    List<BlockedKey> blocked(String policy);

    /** The same administration with methods that never block. */
    ReactiveRateLimitAdmin reactive();
}
