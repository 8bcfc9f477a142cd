package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.MarkOnce;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/** Creates requests that refund a decision or end a reservation. A marker in the store denies their repetitions. */
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
    static LimitOperation unlessEnded(PolicyPart part, long id) {
        return new LimitOperation(new LimitKey(part.policy().name(), MARKERS, part.key()), MarkOnce.unlessMarked(END + id(id)));
    }

    private static String id(long id) {
        return Long.toHexString(id);
    }

    /** An operation on a limit of a decision. */
    static LimitOperation operation(Decision decision, String limit, Operation operation) {
        return new LimitOperation(new LimitKey(decision.policy(), limit, decision.key()), operation);
    }
}
