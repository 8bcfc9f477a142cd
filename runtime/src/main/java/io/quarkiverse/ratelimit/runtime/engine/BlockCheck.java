package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Makes a policy check for blocked keys while code may have blocked some. Policies with a penalty always check. */
final class BlockCheck {

    private final long until;
    private final DerivedPolicy checking = new DerivedPolicy(policy -> policy.withPenalty(Penalty.BY_CODE));

    /** @param until when the last block has ended, in microseconds */
    BlockCheck(long until) {
        this.until = until;
    }

    /** The policy with the check. */
    Policy of(Policy policy, long now) {
        return policy.penalty() != null || now >= until ? policy : checking.of(policy);
    }
}
