package io.quarkiverse.ratelimit.runtime.api;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Creates the charges for calls of one policy's limiters, by the policy in force. */
final class LimiterCharges {

    private final Policy policy;
    /** The charge of most calls: one permit, by the policy's own limits. */
    private final Charge one;

    LimiterCharges(Policy policy) {
        this.policy = policy;
        this.one = new Charge(policy, PermitRequest.of(1));
    }

    Charge acquire(Policy inForce, long cost) {
        return cost == 1 && inForce == policy && !inForce.holdsPermits() ? one
                : counted(inForce, cost, OperationKind.ACQUIRE);
    }

    /** Each limit must grant as much as the others. */
    Charge acquireUpTo(Policy inForce, long cost) {
        if (!inForce.countsCostOnly()) {
            throw new UnsupportedOperationException("Policy " + inForce.name() + " has a limit with counts=calls, which has no"
                    + " part of a call. Use tryAcquire with the cost.");
        }
        return counted(inForce, cost, OperationKind.ACQUIRE_UP_TO);
    }

    Charge charge(Policy inForce, long cost) {
        return counted(inForce, cost, OperationKind.CHARGE);
    }

    Charge peek(Policy inForce) {
        return new Charge(inForce, PermitRequest.PEEK);
    }

    private static Charge counted(Policy inForce, long cost, OperationKind kind) {
        if (inForce.holdsPermits()) {
            throw new UnsupportedOperationException("Policy " + inForce.name() + " limits concurrency: permits are held while"
                    + " work runs. Use reserve, and cancel or settle when the work has ended, or @RateLimited.");
        }
        return new Charge(inForce, new PermitRequest(Arguments.cost(cost), kind, 0));
    }
}
