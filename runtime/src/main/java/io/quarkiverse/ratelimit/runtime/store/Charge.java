package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Holds a policy and what a call costs under it, with the scripts' arguments prepared ahead. */
public final class Charge {

    private final Policy policy;
    private final long cost;
    private final Charge local;
    private final byte[][] arguments;

    /** @param replicas among how many instances the limits are divided where each counts for itself */
    public Charge(Policy policy, long cost, int replicas) {
        this(policy, cost, replicas == 1 ? null : new Charge(policy.dividedBy(replicas), cost, null));
    }

    private Charge(Policy policy, long cost, Charge local) {
        this.policy = policy;
        this.cost = cost;
        this.local = local;
        List<PolicyLimit> limits = policy.limits();
        arguments = new byte[limits.size()][];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = limits.get(i).rule().arguments(cost);
        }
    }

    public Policy policy() {
        return policy;
    }

    public long cost() {
        return cost;
    }

    /** This charge where the instance counts for itself alone. */
    public Charge local() {
        return local == null ? this : local;
    }

    /** The packed arguments of the policy's limit at this index; not to be changed. */
    public byte[] arguments(int limit) {
        return arguments[limit];
    }
}
