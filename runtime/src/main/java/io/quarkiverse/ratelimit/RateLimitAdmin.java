package io.quarkiverse.ratelimit;

import java.time.Duration;
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
 * admin.policy("email").forKey("alice").override(Limit.slidingWindow(100, Duration.ofHours(1)), Duration.ofMinutes(30));
 * </pre>
 *
 * <ul>
 * <li>Overrides and blocks are stored in Redis, and all instances apply them within a second. What a caller has used stays
 * used, unless the algorithm changes.</li>
 * <li>An override for a key wins over a plan, and a plan over an override for the policy.</li>
 * <li>There are at most 10 000 overrides, blocks and policies in shadow mode. One more fails with
 * {@link IllegalStateException}.</li>
 * <li>Methods fail with {@link RateLimitUnavailableException} when Redis is unavailable, except those that return limits and
 * overrides: these return what was last read.</li>
 * </ul>
 */
public interface RateLimitAdmin {

    /**
     * Returns the administration of a configured policy.
     *
     * @throws IllegalArgumentException if no policy has this name
     */
    PolicyAdmin policy(String name);

    /**
     * Returns the keys of all policies that were denied most during the last minute, over all instances, the most denied
     * first. Each has the name of its {@link DeniedKey#policy}. {@link PolicyAdmin#mostDenied} describes the counts.
     *
     * @param count the most keys to return, 1 to 100
     */
    List<DeniedKey> mostDenied(int count);

    /** Returns the same administration with methods that never block. */
    ReactiveRateLimitAdmin reactive();

    /** Shows and overrides the limits of a policy, or those of one caller. */
    interface LimitsAdmin {

        /**
         * Returns the limits in force, by name: for callers without a plan, or for one caller. A caller whose plan is
         * unlimited has none. A plan of a bean is what the bean returns for this key outside of a request. Plans from roles
         * and claims are not known here.
         */
        Map<String, Limit> limits();

        /** Applies another limit in place of the only one, until the override is removed. */
        void override(Limit limit);

        /**
         * Applies another limit in place of the only one.
         *
         * @param duration how long the override applies, 1 s to 366 days
         * @throws IllegalArgumentException if the policy has several limits
         */
        void override(Limit limit, Duration duration);

        /** Applies other limits, by name, until the override is removed. */
        void override(Map<String, Limit> limits);

        /**
         * Applies other limits, by name. Limits that are not named do not change.
         *
         * @param duration how long the override applies, 1 s to 366 days
         * @throws IllegalArgumentException if the policy does not have these limits
         */
        void override(Map<String, Limit> limits, Duration duration);

        /**
         * Removes the override, if there is one. Overrides for keys and the override for all callers do not affect each other.
         */
        void removeOverride();
    }

    /** Administers one policy. */
    interface PolicyAdmin extends LimitsAdmin {

        /**
         * Returns the administration of one caller.
         *
         * @param values one for each part of the policy's key, in their order
         * @throws IllegalArgumentException if there is another number of parts, or if no caller can have this key, such as
         *         {@code no-address} for {@code key=ip}
         */
        KeyAdmin forKey(String... values);

        /**
         * Puts the policy into shadow mode for some time, in place of an earlier {@code shadow}: it counts and reports, but
         * denies nobody, neither by limits, blocks and penalties nor by {@code missing-key=deny} or
         * {@code on-redis-failure=deny}. Use it when the limiter denies the wrong callers.
         *
         * @param duration until the policy denies calls again, 1 s to 366 days
         */
        void shadow(Duration duration);

        /** Ends what {@link #shadow} began. A policy with {@code mode=shadow} stays in shadow mode. */
        void enforce();

        /** Returns the overrides: the one for all callers first, then by key. */
        List<RateLimitOverride> overrides();

        /**
         * Returns the keys that the policy denied most during the last minute, over all instances, the most denied first.
         * <ul>
         * <li>Counts cover the last 50 to 60 s and are about a second old. They are never too high. They are exact while at
         * most 250 keys are denied. With more keys, those that are denied rarely may be missing, or counted too low.</li>
         * <li>Denials by the denial cache count. Denials in shadow mode, without a key, and because Redis is unavailable do
         * not.</li>
         * </ul>
         *
         * @param count the most keys to return, 1 to 100
         */
        List<DeniedKey> mostDenied(int count);

        /**
         * Returns the keys that are blocked now, the longest block first, at most 300.
         * <ul>
         * <li>Keys that were blocked by {@link KeyAdmin#block} or {@link RateLimiter#block} are listed until their block ends.
         * A policy in shadow mode would deny them.</li>
         * <li>Keys that the policy's {@code penalty} blocks are listed if they were denied during the last minute, as in
         * {@link #mostDenied}. So blocked callers that do not call are missing.</li>
         * </ul>
         */
        List<BlockedKey> blocked();
    }

    /** Administers one caller of a policy. */
    interface KeyAdmin extends LimitsAdmin {

        /** {@link RateLimiter#block}. */
        void block(Duration time);

        /** {@link RateLimiter#unblock}. */
        void unblock();

        /** {@link RateLimiter#reset}. */
        void reset();
    }
}
