package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Makes a policy check for blocked keys while code may have blocked some. Policies with a penalty always check. */
final class BlockCheck {

    private final long until;
    private volatile Changed last;

    /** @param until when the last block has ended, in microseconds */
    BlockCheck(long until) {
        this.until = until;
    }

    /** The policy with the check; created again only for another form of the policy. */
    Policy of(Policy policy, long now) {
        if (policy.penalty() != null || now >= until) {
            return policy;
        }
        Changed made = last;
        if (made == null || made.policy != policy) {
            made = new Changed(policy, policy.withPenalty(Penalty.BY_CODE));
            last = made;
        }
        return made.changed;
    }

    private record Changed(Policy policy, Policy changed) {
    }
}
