package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** Creates requests that renew or release the permits of a running call. */
final class LeaseOperations {

    private LeaseOperations() {
    }

    /** Renews the permits, unless another instance has ended the reservation. */
    static StoreRequest renewal(List<PolicyRequest> leased, long id) {
        return of(leased, id, List.of(RefundOperations.unlessEnded(id)),
                (limit, cost) -> limit.rule().acquire(new PermitRequest(cost, OperationKind.CHARGE, id)));
    }

    /** Releases the permits. */
    static StoreRequest release(List<PolicyRequest> leased, long id) {
        return of(leased, id, List.of(), (limit, cost) -> limit.rule().refund(null, 0, cost, id));
    }

    private static StoreRequest of(List<PolicyRequest> leased, long id, List<LimitOperation> before,
            BiFunction<PolicyLimit, Long, Operation> operation) {
        List<PolicyRequest> policies = new ArrayList<>(leased.size());
        for (PolicyRequest one : leased) {
            List<LimitOperation> operations = new ArrayList<>(before);
            for (PolicyLimit limit : one.policy().limits()) {
                if (limit.rule().holdsPermits()) {
                    operations.add(
                            new LimitOperation(limit.name(), operation.apply(limit, limit.charged(one.requested()).cost())));
                }
            }
            policies.add(PolicyRequest.of(one.policy(), one.key(), operations));
        }
        return new StoreRequest(policies, id);
    }

    /** Releases the permits of a reservation, perhaps of another instance; {@code null} if it holds none. */
    static StoreRequest release(Decision reserved) {
        List<LimitOperation> operations = new ArrayList<>(1);
        for (LimitState state : reserved.limits()) {
            Limit limit = state.definition();
            LimitRule rule = PolicyLimit.ruleOf(limit);
            if (rule.holdsPermits()) {
                long count = limit.counts() == Counts.COST ? reserved.granted() : 1;
                operations.add(new LimitOperation(state.limit(), rule.refund(null, 0, count, reserved.id())));
            }
        }
        return operations.isEmpty() ? null
                : new StoreRequest(PolicyRequest.of(reserved.appliedPolicy(), reserved.key(), operations));
    }

    /** Milliseconds until the first concurrency permit of a reservation expires unless it is renewed; 0 if it holds none. */
    static long shortestLeaseTime(Decision reserved) {
        return reserved.limits().stream().map(LimitState::definition)
                .filter(limit -> limit.leaseTime() != null).mapToLong(limit -> limit.leaseTime().toMillis())
                .min().orElse(0);
    }

    /** Milliseconds until the first of these permits expires unless it is renewed. */
    static long shortestLeaseTime(List<PolicyRequest> leased) {
        long shortest = Long.MAX_VALUE;
        for (PolicyRequest one : leased) {
            for (PolicyLimit limit : one.policy().limits()) {
                if (limit.rule().holdsPermits()) {
                    shortest = Math.min(shortest, limit.limit().leaseTime().toMillis());
                }
            }
        }
        return shortest;
    }
}
