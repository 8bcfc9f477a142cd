package io.quarkiverse.ratelimit.runtime.policy;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;

/**
 * A named rule, complete and validated: nothing about it is looked up or converted once the application has started.
 *
 * @param limits all must admit, none is charged when one refuses; sorted by name, at least one
 * @param key says who is calling; {@code null} where only code uses the policy and gives the key with the call
 * @param plans other numbers for some callers
 * @param exempt who is not limited
 * @param countWhen for which responses a call counts
 * @param denialCache for how long at most an instance goes on refusing by itself what Redis refused
 */
public record Policy(String name, List<PolicyLimit> limits, KeyTemplate key, MissingKey missingKey,
        OnRedisFailure onRedisFailure, Mode mode, boolean enabled, Plans plans, Exemptions exempt, Statuses countWhen,
        Duration denialCache) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    public Policy {
        limits = List.copyOf(limits);
    }

    /** A policy for all callers and all responses alike, about which Redis is always asked. */
    public Policy(String name, List<PolicyLimit> limits, KeyTemplate key, MissingKey missingKey,
            OnRedisFailure onRedisFailure, Mode mode, boolean enabled) {
        this(name, limits, key, missingKey, onRedisFailure, mode, enabled, Plans.NONE, Exemptions.NONE, Statuses.ALL,
                Duration.ZERO);
    }

    /** Whether a policy, a limit, a plan or a route may be called so. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Whether any of its limits counts by this algorithm. */
    public boolean has(Algorithm algorithm) {
        for (int i = 0; i < limits.size(); i++) {
            if (limits.get(i).limit().algorithm() == algorithm) {
                return true;
            }
        }
        return false;
    }

    /** This policy without the limits that count by this algorithm, perhaps without any. */
    public Policy without(Algorithm algorithm) {
        return withLimits(limits.stream().filter(limit -> limit.limit().algorithm() != algorithm).toList());
    }

    /** Whether the caller must be authenticated before a call is decided. */
    public boolean needsIdentity() {
        return key != null && key.needsIdentity() || plans.needsIdentity() || exempt.needsIdentity();
    }

    /** This policy with a plan's numbers in place of its own. */
    public Policy with(Plan plan) {
        return with(limit -> plan.limits().stream().filter(other -> other.name().equals(limit.name())).findFirst()
                .orElse(limit));
    }

    /** Whether it may hold a call back. */
    public boolean mayWait() {
        for (int i = 0; i < limits.size(); i++) {
            if (!limits.get(i).limit().maxWait().isZero()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a call that comes too early can take its permits ahead of time from all of its limits. */
    public boolean takesAhead() {
        for (PolicyLimit limit : limits) {
            if (!limit.isBucket()) {
                return false;
            }
        }
        return true;
    }

    /** This policy, whose buckets hold calls back for up to {@code maxWait}. */
    public Policy withMaxWait(Duration maxWait) {
        return with(limit -> limit.withMaxWait(maxWait));
    }

    /** This policy with its limits divided among so many instances, each at least 1. */
    public Policy dividedBy(int replicas) {
        return with(limit -> limit.dividedBy(replicas));
    }

    /** This policy with other limits. */
    public Policy withLimits(List<PolicyLimit> limits) {
        return new Policy(name, limits, key, missingKey, onRedisFailure, mode, enabled, plans, exempt, countWhen,
                denialCache);
    }

    private Policy with(UnaryOperator<PolicyLimit> change) {
        return withLimits(limits.stream().map(change).toList());
    }
}
