package io.quarkiverse.ratelimit.runtime.policy;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;

/**
 * A named rule, complete and validated: nothing about it is looked up or converted once the application has started.
 *
 * @param limits all must admit, none is charged when one refuses; sorted by name, at least one
 * @param key says who is calling; {@code null} where only code uses the policy and gives the key with the call
 */
public record Policy(String name, List<PolicyLimit> limits, KeyTemplate key, MissingKey missingKey,
        OnRedisFailure onRedisFailure, Mode mode, boolean enabled) {

    public Policy {
        limits = List.copyOf(limits);
    }

    /** Whether any of its limits counts by this algorithm. */
    public boolean has(Algorithm algorithm) {
        for (PolicyLimit limit : limits) {
            if (limit.limit().algorithm() == algorithm) {
                return true;
            }
        }
        return false;
    }

    /** This policy with its limits divided among so many instances, each at least 1. */
    public Policy dividedBy(int replicas) {
        List<PolicyLimit> divided = new ArrayList<>(limits.size());
        for (PolicyLimit limit : limits) {
            divided.add(limit.dividedBy(replicas));
        }
        return new Policy(name, divided, key, missingKey, onRedisFailure, mode, enabled);
    }
}
