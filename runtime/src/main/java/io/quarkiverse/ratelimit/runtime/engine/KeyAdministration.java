package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.smallrye.mutiny.Uni;

/** Administers keys of which an operator knows the values, or only the stored form. */
public interface KeyAdministration extends ReactiveRateLimitAdmin {

    /** @throws IllegalArgumentException when no caller can have this key */
    PassedKey key(String policy, List<String> values);

    /** @throws IllegalArgumentException when no key of the policy has this stored form */
    PassedKey storedKey(String policy, String stored);

    ReactiveRateLimiter limiter(String policy, PassedKey key);

    /** How long the key is still blocked, also by a policy in shadow mode; zero if it is not blocked. */
    Uni<Duration> blockedFor(String policy, PassedKey key);

    /** @param duration may be {@link Overrides#UNTIL_REMOVED} */
    Uni<Void> override(String policy, PassedKey key, Map<String, Limit> limits, Duration duration);

    Uni<Void> removeOverride(String policy, PassedKey key);
}
