package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Holds one policy's part of a request.
 *
 * @param policy with the limits in force
 * @param requested what the call acquires; {@link PermitRequest#NONE} for an operation that acquires nothing, such as a refund
 * @param key the stored form of the caller's key
 * @param operations all must allow the call; none takes effect when one denies it. Those on the limits come first, then that
 *        on the penalty, if there is one
 */
public record PolicyRequest(Policy policy, PermitRequest requested, String key, List<LimitOperation> operations) {

    /** A part that acquires nothing from the limits of the policy, such as a refund. */
    public static PolicyRequest of(Policy policy, String key, List<LimitOperation> operations) {
        return new PolicyRequest(policy, PermitRequest.NONE, key, operations);
    }

    /** What the call acquires from one limit of the policy. */
    public PermitRequest requested(int limit) {
        return operations.get(limit).requested();
    }

    /** Whether the policy counts the call but cannot deny it. */
    public boolean shadow() {
        return policy.mode() == Mode.SHADOW && requested != PermitRequest.NONE;
    }

    /** Whether the call holds permits while it runs. */
    public boolean holdsPermits() {
        return policy.holdsPermits();
    }

    /** Whether this instance may repeat a denial of the same call without a request to Redis. */
    public boolean repeatsDenials() {
        return requested.kind() == OperationKind.ACQUIRE && policy.repeatsDenials();
    }
}
