package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;

/**
 * A request to a {@link LimitStore}: everything that one call is to be charged. The store decides whether the call may go
 * ahead.
 *
 * @param parts one part for each policy that limits the call
 * @param equalGrants whether all limits grant the same number of permits: what the strictest of them grants
 * @param id identifies the call, and what it acquired, among all others
 */
public record StoreRequest(List<PolicyRequest> parts, boolean equalGrants, long id) {

    /** The group of limits that can deny the call, see {@link #groups}. */
    private static final char ENFORCED = '0';
    private static final String ONE_ENFORCED = "0";
    private static final char EQUAL_GRANTS = 'e';

    public StoreRequest(List<PolicyRequest> parts, long id) {
        this(parts, !parts.isEmpty() && parts.get(0).requested().kind() == OperationKind.ACQUIRE_UP_TO, id);
    }

    /** A request that no call waits for, such as a refund. */
    public StoreRequest(PolicyRequest only) {
        this(List.of(only), false, 0);
    }

    /** Whether it contains no policy. */
    public boolean isEmpty() {
        return parts.isEmpty();
    }

    /** The number of operations of all policies together. */
    public int operationCount() {
        int count = 0;
        for (int i = 0; i < parts.size(); i++) {
            count += parts.get(i).operations().size();
        }
        return count;
    }

    /** Whether a canceled call must be refunded: it may be delayed, holds permits while it runs, or is an estimate. */
    public boolean needsRefundOnCancel() {
        for (int i = 0; i < parts.size(); i++) {
            PolicyRequest policy = parts.get(i);
            if (policy.policy().mayDelay() || policy.holdsPermits() || policy.requested().refundable()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the request has only one limit, which can deny the call. */
    public boolean isOneEnforcedLimit() {
        return !equalGrants && parts.size() == 1 && !parts.get(0).shadow() && parts.get(0).operations().size() == 1;
    }

    /** Whether both requests contain the same operations, perhaps for different callers. */
    public boolean hasOperationsOf(StoreRequest other) {
        if (equalGrants != other.equalGrants || parts.size() != other.parts.size()) {
            return false;
        }
        for (int i = 0; i < parts.size(); i++) {
            PolicyRequest own = parts.get(i);
            PolicyRequest its = other.parts.get(i);
            // requests of one charge share its operations
            if (own.operations() != its.operations() || own.shadow() != its.shadow()) {
                return false;
            }
        }
        return true;
    }

    /**
     * One character per limit: {@code 0} for a limit that can deny the call, {@code e} in a request with equal grants,
     * otherwise the number of the shadow policy, counted from 1.
     */
    public String groups() {
        if (isOneEnforcedLimit()) {
            return ONE_ENFORCED;
        }
        StringBuilder groups = new StringBuilder(4);
        char shadow = ENFORCED;
        for (PolicyRequest policy : parts) {
            char group = equalGrants ? EQUAL_GRANTS : policy.shadow() ? ++shadow : ENFORCED;
            for (int i = policy.operations().size(); i > 0; i--) {
                groups.append(group);
            }
        }
        return groups.toString();
    }

    /** The parts that hold permits while the call runs, if the store has charged them by this reply. */
    public List<PolicyRequest> heldAfter(StoreReply reply) {
        List<PolicyRequest> held = List.of();
        int first = 0;
        for (int i = 0; i < parts.size(); i++) {
            PolicyRequest policy = parts.get(i);
            int count = policy.operations().size();
            if (policy.holdsPermits() && policy.requested().kind() != OperationKind.PEEK && reply.allows(first, count)
                    && allowedBy(reply)) {
                held = held.isEmpty() ? new ArrayList<>(1) : held;
                held.add(policy);
            }
            first += count;
        }
        return held;
    }

    /** Whether every limit that can deny the call allows it, by the store's reply. */
    public boolean allowedBy(StoreReply reply) {
        int first = 0;
        for (PolicyRequest policy : parts) {
            int count = policy.operations().size();
            if (!policy.shadow() && !reply.allows(first, count)) {
                return false;
            }
            first += count;
        }
        return true;
    }
}
