package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.MarkOnce;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/**
 * Creates requests that refund a decision, end a reservation, or renew or release the permits of a running call. A marker in
 * the store denies repeated refunds.
 */
final class RefundOperations {

    /** How long an end of a reservation is remembered at least: its permits may be in use longer because of other calls. */
    private static final Duration SHORTEST = Refunds.TRIED.multipliedBy(2);
    /** By how much the last attempt of a refund may arrive late. */
    private static final Duration LATE = Duration.ofSeconds(2);
    /** The key of the markers; no limit has such a name. */
    private static final String MARKERS = "refunds:ids";
    /** The prefix of the id that marks the end of a reservation. */
    private static final String END = "end:";

    private RefundOperations() {
    }

    /**
     * Refunds this many permits to some limits, unless a decision with the same id was refunded before; {@code null} if there
     * is nothing to refund.
     */
    static StoreRequest once(Decision decision, long count, Predicate<Limit> to) {
        return refund(decision.asCharged(), count, 1, to, marker(decision, List.of()));
    }

    /** Refunds this many permits that a request acquired for several calls; {@code null} if there is nothing to refund. */
    static StoreRequest ahead(Decision acquired, long permits, ConfirmedRefunds confirmed) {
        return refund(acquired.asCharged(), permits, permits, limit -> true, marker(acquired, confirmed.take(acquired)));
    }

    /**
     * Refunds all permits of a decision that only this object represents; {@code null} if there is nothing to refund. Memory
     * needs no marker for it, as it does not lose a reply.
     */
    static StoreRequest all(Decision decision, ConfirmedRefunds confirmed) {
        boolean inMemory = decision.source() == Source.MEMORY || decision.source() == Source.FALLBACK;
        return refund(decision.asCharged(), decision.granted(), 1, limit -> true,
                inMemory ? List.of() : marker(decision, confirmed.take(decision)));
    }

    /** Marks a refund as long as it may be repeated; empty if it is not repeated. */
    private static List<LimitOperation> marker(Decision decision, List<Long> confirmed) {
        long retried = Refunds.retried(decision.asCharged());
        return retried == 0 ? List.of()
                : List.of(operation(decision, MARKERS, new MarkOnce(id(decision.id()), LATE.plusMillis(retried),
                        confirmed.stream().map(RefundOperations::id).toList())));
    }

    private static StoreRequest refund(Decision decision, long count, long calls, Predicate<Limit> to,
            List<LimitOperation> marker) {
        long at = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
        List<LimitOperation> operations = new ArrayList<>(1 + decision.limits().size());
        operations.addAll(marker);
        for (LimitState state : decision.limits()) {
            Limit limit = state.definition();
            LimitRule rule = PolicyLimit.ruleOf(limit);
            if (!rule.holdsPermits() && to.test(limit)) {
                long charged = limit.counts() == Counts.COST ? count : calls;
                operations.add(operation(decision, state.limit(), rule.refund(state, at, charged, decision.id())));
            }
        }
        return count <= 0 || operations.size() == marker.size() ? null : new StoreRequest(operations);
    }

    /** Marks the end of a reservation. */
    static StoreRequest endOf(Decision reserved) {
        Duration lasts = SHORTEST;
        for (LimitState limit : reserved.limits()) {
            Duration lease = limit.definition().leaseTime();
            lasts = LimitUsage.longer(lasts, LimitUsage.longer(limit.resetAfter(), lease == null ? Duration.ZERO : lease));
        }
        return new StoreRequest(List.of(operation(reserved, MARKERS, new MarkOnce(END + id(reserved.id()), lasts))));
    }

    /** Denies the other operations of a request once the reservation of this call has ended. */
    private static LimitOperation unlessEnded(PolicyPart part, long id) {
        return new LimitOperation(new LimitKey(part.policy().name(), MARKERS, part.key()), MarkOnce.unlessMarked(END + id(id)));
    }

    /** Renews the permits, unless another instance has ended the reservation. */
    static StoreRequest renewal(List<PolicyPart> leased, long id) {
        return onHeldPermits(leased, part -> List.of(unlessEnded(part, id)),
                (limit, cost) -> limit.rule().acquire(new PermitRequest(cost, OperationKind.CHARGE, id)));
    }

    static StoreRequest release(List<PolicyPart> leased, long id) {
        return onHeldPermits(leased, part -> List.of(), (limit, cost) -> limit.rule().refund(null, 0, cost, id));
    }

    private static StoreRequest onHeldPermits(List<PolicyPart> leased, Function<PolicyPart, List<LimitOperation>> before,
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
                operations.add(operation(reserved, state.limit(), rule.refund(null, 0, count, reserved.id())));
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

    private static String id(long id) {
        return Long.toHexString(id);
    }

    /** An operation on a limit of a decision. */
    private static LimitOperation operation(Decision decision, String limit, Operation operation) {
        return new LimitOperation(new LimitKey(decision.policy(), limit, decision.key()), operation);
    }
}
