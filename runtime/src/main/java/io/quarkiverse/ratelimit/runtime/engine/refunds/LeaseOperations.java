package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/** Creates requests that renew or release the permits of a running call. */
final class LeaseOperations {

    private LeaseOperations() {
    }

    /** Renews the permits, unless another instance has ended the reservation. */
    static StoreRequest renewal(List<PolicyPart> leased, long id) {
        return of(leased, part -> List.of(RefundOperations.unlessEnded(part, id)),
                (limit, cost) -> limit.rule().acquire(new PermitRequest(cost, OperationKind.CHARGE, id)));
    }

    static StoreRequest release(List<PolicyPart> leased, long id) {
        return of(leased, part -> List.of(), (limit, cost) -> limit.rule().refund(null, 0, cost, id));
    }

    private static StoreRequest of(List<PolicyPart> leased, Function<PolicyPart, List<LimitOperation>> before,
            BiFunction<PolicyLimit, Long, Operation> operation) {
        List<LimitOperation> operations = new ArrayList<>();
        for (PolicyPart part : leased) {
            operations.addAll(before.apply(part));
            for (PolicyLimit limit : part.policy().limits()) {
                if (limit.rule().holdsPermits()) {
                    operations.add(new LimitOperation(new LimitKey(part.policy().name(), limit.name(), part.key()),
                            operation.apply(limit, limit.charged(part.charge().requested).cost())));
                }
            }
        }
        return new StoreRequest(operations);
    }

    /** Releases the permits of a reservation, perhaps of another instance; {@code null} if it holds none. */
    static StoreRequest release(Decision reserved) {
        List<LimitOperation> operations = new ArrayList<>(1);
        for (LimitState state : reserved.limits()) {
            Limit limit = state.definition();
            LimitRule rule = PolicyLimit.ruleOf(limit);
            if (rule.holdsPermits()) {
                long count = limit.counts() == Counts.COST ? reserved.granted() : 1;
                operations.add(RefundOperations.operation(reserved, state.limit(),
                        rule.refund(null, 0, count, reserved.id())));
            }
        }
        return operations.isEmpty() ? null : new StoreRequest(operations);
    }

    /** Milliseconds until the first concurrency permit of a reservation expires unless it is renewed; 0 if it holds none. */
    static long shortestLeaseTime(Decision reserved) {
        return shortestLeaseTime(reserved.limits().stream().map(LimitState::definition));
    }

    /** Milliseconds until the first of these permits expires unless it is renewed. */
    static long shortestLeaseTime(List<PolicyPart> leased) {
        return shortestLeaseTime(leased.stream().flatMap(part -> part.policy().limits().stream()).map(PolicyLimit::limit));
    }

    private static long shortestLeaseTime(Stream<Limit> limits) {
        return limits.filter(limit -> limit.leaseTime() != null).mapToLong(limit -> limit.leaseTime().toMillis())
                .min().orElse(0);
    }
}
