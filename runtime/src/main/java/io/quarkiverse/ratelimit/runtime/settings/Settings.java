package io.quarkiverse.ratelimit.runtime.settings;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Route;

/**
 * The complete and validated run-time configuration.
 *
 * @param onRedisFailure the value for limiters without a policy; each {@link Policy} has its own
 * @param maxDelayed the most calls that this instance delays at the same time
 * @param headers the headers written to responses; empty for none
 * @param proxyHops the number of proxies that append the address of their caller to a header; 0 if it is not configured
 * @param policies the policies by name
 * @param routes the routes, sorted by name
 */
public record Settings(boolean enabled, Store store, String keyPrefix, Duration timeout, OnRedisFailure onRedisFailure,
        int replicas, int maxDelayed, Set<HeaderFamily> headers, int ipv6Prefix, int proxyHops,
        SortedMap<String, Policy> policies, List<Route> routes) {

    /** Whether calls are counted in the memory of this instance, without Redis. */
    public boolean countsInMemory() {
        return enabled && store == Store.MEMORY;
    }

    /** Whether any policy uses the callers' addresses, even if only in place of a missing part of the key. */
    public boolean needsAddresses() {
        for (Policy policy : policies.values()) {
            KeyTemplate key = policy.key();
            if (!policy.exempt().blocks().isEmpty()
                    || key != null
                            && (key.needsAddress() || key != KeyTemplate.GLOBAL && policy.missingKey() == MissingKey.IP)) {
                return true;
            }
        }
        return false;
    }
}
