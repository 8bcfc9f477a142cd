package io.quarkiverse.ratelimit.runtime.policy.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;

import javax.crypto.spec.SecretKeySpec;

import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;

/**
 * The complete and validated run-time configuration.
 *
 * @param onRedisFailure value for limiters without a policy; each {@link Policy} has its own
 * @param maxDelayed most calls that this instance delays at the same time
 * @param headers headers written to responses; empty for none
 * @param proxyHops number of proxies that append the address of their caller to a header; 0 if it is not configured
 * @param addressHeader header in which a trusted proxy sends the address of its caller alone; {@code null} for none
 * @param reservationSecrets keys of the checksums of reservation ids; the first makes them. Their text contains no secret
 * @param policies policies by name
 * @param routes routes, sorted by name
 * @param overflows names of overflows, by the policies that have one
 */
public record Settings(boolean enabled, Store store, String keyPrefix, Duration timeout, OnRedisFailure onRedisFailure,
        int replicas, int maxDelayed, Set<HeaderFamily> headers, int ipv6Prefix, int proxyHops,
        String addressHeader, List<SecretKeySpec> reservationSecrets, SortedMap<String, Policy> policies, List<Route> routes,
        SortedMap<String, String> overflows) {

    /** Returns a policy and its overflows, in the order in which they are asked. */
    public List<Policy> chain(String policy) {
        List<Policy> chain = new ArrayList<>(1);
        for (String name = policy; name != null; name = overflows.get(name)) {
            chain.add(policies.get(name));
        }
        return chain;
    }

    /**
     * Returns the highest number of arguments that a limited method adds to this policy's key, also to that of an overflow
     * without parts.
     */
    public int keyArguments(String policy, PolicyReferences references) {
        return policies.get(policy).key() != null ? references.keyArguments(policy)
                : leadingTo(policy).mapToInt(references::keyArguments).max().orElse(0);
    }

    /** Returns the policies in whose chains this one is. */
    private Stream<String> leadingTo(String policy) {
        return policies.keySet().stream()
                .filter(name -> chain(name).stream().anyMatch(asked -> asked.name().equals(policy)));
    }

    /**
     * Returns the highest number of values that code passes after those of the key's parts. It passes any number to a policy
     * without parts and arguments, and so to the overflows of that policy that have no key.
     */
    public int passedArguments(String policy, PolicyReferences references) {
        int arguments = keyArguments(policy, references);
        return arguments > 0 && policies.get(policy).key() == null
                && leadingTo(policy).anyMatch(first -> acceptsAny(first, references)) ? Integer.MAX_VALUE : arguments;
    }

    /**
     * Returns the highest number of values that code passes to a policy and its overflows after those of the key's parts. An
     * overflow without key gets any number if no method passes arguments to it.
     */
    public int passedOn(String policy, PolicyReferences references) {
        int most = passedArguments(policy, references);
        for (Policy asked : chain(policy)) {
            int arguments = keyArguments(asked.name(), references);
            if (asked.key() == null && !asked.name().equals(policy)) {
                most = Math.max(most, arguments == 0 ? Integer.MAX_VALUE : arguments);
            }
        }
        return most;
    }

    private boolean acceptsAny(String policy, PolicyReferences references) {
        KeyTemplate key = policies.get(policy).key();
        return (key == null || key == KeyTemplate.GLOBAL) && keyArguments(policy, references) == 0;
    }

    /** Returns whether calls are counted in the memory of this instance, without Redis. */
    public boolean countsInMemory() {
        return enabled && store == Store.MEMORY;
    }

    /** Returns whether any policy uses the callers' addresses, even if only in place of a missing part of the key. */
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
