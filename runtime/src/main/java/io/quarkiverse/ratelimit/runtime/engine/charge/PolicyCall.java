package io.quarkiverse.ratelimit.runtime.engine.charge;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/**
 * One policy's part of a call.
 *
 * @param key the stored form of the caller's key
 * @param first the position of the policy's first operation in the request and in its reply
 */
public record PolicyCall(Charge charge, String key, int first) {

    /** The policy with the limits in force. */
    public Policy policy() {
        return charge.policy();
    }

    /** What the call requests from the policy. */
    public PermitRequest requested() {
        return charge.requested();
    }

    /** What the call requests from one limit of the policy. */
    public PermitRequest requested(int limit) {
        return charge.requested(limit);
    }

    /** The number of the policy's operations: those of its limits, then that of its penalty if there is one. */
    public int operationCount() {
        return charge.operationCount();
    }

    /** The number of the policy's limits. */
    public int limitCount() {
        return policy().limits().size();
    }

    /** The name of one limit of the policy. */
    public String limit(int limit) {
        return policy().limits().get(limit).name();
    }

    /** Whether the call acquires permits if it is allowed. */
    public boolean acquires() {
        return requested().kind() != OperationKind.PEEK;
    }

    /** The number of permits that a call gets which is allowed by this reply. */
    public long granted(StoreReply reply) {
        return requested().kind() == OperationKind.ACQUIRE_UP_TO ? reply.limits().get(first).granted() : requested().cost();
    }

    /** Whether all limits of the policy, and its penalty, allow the call. */
    public boolean allowedBy(StoreReply reply) {
        return reply.allows(first, operationCount());
    }

    /** Whether the policy counts the call but cannot deny it. */
    public boolean shadow() {
        return policy().mode() == Mode.SHADOW;
    }

    /** Whether the call holds permits while it runs. */
    public boolean holdsPermits() {
        return policy().has(Algorithm.CONCURRENCY);
    }

    /** Whether this instance may repeat a denial of the same call without a request to Redis. */
    public boolean repeatsDenials() {
        return requested().kind() == OperationKind.ACQUIRE && policy().repeatsDenials();
    }
}
