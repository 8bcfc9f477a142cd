package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Holds one policy's part of a request.
 *
 * @param policy with the limits in force
 * @param call what the call acquires; {@link PermitRequest#NONE} for an operation that acquires nothing, such as a refund
 * @param caller the stored form of the caller's key
 * @param operations all must allow the call; none takes effect when one denies it. Those on the limits come first, then that
 *        on the penalty, if there is one
 */
public record PolicyRequest(Policy policy, PermitRequest call, String caller, List<LimitOperation> operations) {

    /** A part that acquires nothing from the limits of the policy, such as a refund. */
    public static PolicyRequest of(Policy policy, String caller, List<LimitOperation> operations) {
        return new PolicyRequest(policy, PermitRequest.NONE, caller, operations);
    }

    /** What the call acquires from one limit of the policy. */
    public PermitRequest call(int limit) {
        return operations.get(limit).call();
    }

    /** Whether the policy counts the call but cannot deny it. */
    public boolean shadow() {
        return policy.mode() == Mode.SHADOW && call != PermitRequest.NONE;
    }

    /** Whether the call holds permits while it runs. */
    public boolean holdsPermits() {
        return policy.has(Algorithm.CONCURRENCY);
    }

    /** Whether this instance may repeat a denial of the same call without a request to Redis. */
    public boolean repeatsDenials() {
        return call.kind() == OperationKind.ACQUIRE && policy.repeatsDenials();
    }

    /** Whether both parts do the same for the same caller. Other properties of the policy do not matter. */
    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof PolicyRequest request && caller.equals(request.caller)
                && policy.name().equals(request.policy.name()) && shadow() == request.shadow()
                && operations.equals(request.operations);
    }

    /** Includes only the first operation, so it takes no longer than the hash of a string. */
    @Override
    public int hashCode() {
        return (policy.name().hashCode() * 31 + caller.hashCode()) * 31 + operations.get(0).operation().hashCode();
    }
}
