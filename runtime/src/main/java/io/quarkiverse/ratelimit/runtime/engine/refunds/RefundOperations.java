package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.MarkOnce;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
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
     * Refunds permits to some limits of a decision; {@code null} if there is nothing to refund.
     *
     * @param count what limits get back that count the cost
     * @param calls what limits get back that count calls
     * @param marker see {@link #marker}; empty for a refund that is not repeated
     */
    static StoreRequest refund(Decision decision, long count, long calls, Predicate<Limit> to, List<LimitOperation> marker) {
        Decision charged = decision.asCharged();
        long decidedAt = ChronoUnit.MICROS.between(Instant.EPOCH, charged.decidedAt());
        List<LimitOperation> operations = new ArrayList<>(marker);
        for (LimitState state : charged.limits()) {
            Limit limit = state.definition();
            LimitRule rule = PolicyLimit.ruleOf(limit);
            if (!rule.holdsPermits() && to.test(limit)) {
                operations.add(operation(charged, state.limit(),
                        rule.refund(state, decidedAt, limit.counts() == Counts.COST ? count : calls, charged.id())));
            }
        }
        return count <= 0 || operations.size() == marker.size() ? null : new StoreRequest(operations);
    }

    /**
     * Marks a refund as long as it may be repeated; empty if it is not repeated.
     *
     * @param confirmed the ids of other refunds, whose marks it removes
     */
    static List<LimitOperation> marker(Decision decision, List<Long> confirmed) {
        long retried = Refunds.retried(decision.asCharged());
        return retried == 0 ? List.of()
                : List.of(operation(decision, MARKERS, new MarkOnce(id(decision.id()), LATE.plusMillis(retried),
                        confirmed.stream().map(RefundOperations::id).toList())));
    }

    /** Marks the end of a reservation. */
    static StoreRequest endOf(Decision reserved) {
        Duration lasts = HeldPermits.of(reserved).stream().map(permits -> permits.limit.limit().leaseTime())
                .reduce(LimitUsage.longer(SHORTEST, reserved.resetAfter()), LimitUsage::longer);
        return new StoreRequest(List.of(operation(reserved, MARKERS, new MarkOnce(END + id(reserved.id()), lasts))));
    }

    private static LimitOperation operation(Decision decision, String limit, Operation operation) {
        return new LimitOperation(new LimitKey(decision.policy(), limit, decision.key()), operation);
    }

    private static String id(long id) {
        return Long.toHexString(id);
    }

    /** The permits of one limit that a call holds while it runs. */
    record HeldPermits(LimitKey key, PolicyLimit limit, long count) {

        /** What a call holds if it is allowed. */
        static List<HeldPermits> of(Call call) {
            List<HeldPermits> all = new ArrayList<>(1);
            call.parts().forEach(part -> part.policy().limits().forEach(limit -> add(part.policy().name(), part.key(), limit,
                    limit.charged(part.charge().requested).cost(), all)));
            return all;
        }

        /** What a call holds after this decision. */
        static List<HeldPermits> of(Decision decision) {
            List<HeldPermits> all = new ArrayList<>(1);
            for (LimitState state : decision.limits()) {
                PolicyLimit limit = new PolicyLimit(state.limit(), state.definition());
                add(decision.policy(), decision.key(), limit, limit.countsCost() ? decision.granted() : 1, all);
            }
            return all;
        }

        private static void add(String policy, String key, PolicyLimit limit, long count, List<HeldPermits> all) {
            if (limit.rule().holdsPermits()) {
                all.add(new HeldPermits(new LimitKey(policy, limit.name(), key), limit, count));
            }
        }

        /** Renews the permits, unless another instance has ended the reservation. */
        static StoreRequest renewal(List<HeldPermits> held, long id) {
            Stream<LimitOperation> unlessEnded = held.stream()
                    .map(permits -> new LimitKey(permits.key.policy(), MARKERS, permits.key.callerKey())).distinct()
                    .map(marker -> new LimitOperation(marker, MarkOnce.unlessMarked(END + id(id))));
            return new StoreRequest(Stream.concat(unlessEnded, held.stream().map(permits -> new LimitOperation(permits.key,
                    permits.limit.rule().acquire(new PermitRequest(permits.count, OperationKind.CHARGE, id))))).toList());
        }

        static StoreRequest release(List<HeldPermits> held, long id) {
            return new StoreRequest(held.stream().map(permits -> new LimitOperation(permits.key,
                    permits.limit.rule().refund(null, 0, permits.count, id))).toList());
        }

        /** Until the first of these permits expires unless it is renewed. */
        static Duration shortestLeaseTime(List<HeldPermits> held) {
            return held.stream().map(permits -> permits.limit.limit().leaseTime()).min(Duration::compareTo).orElseThrow();
        }
    }
}
