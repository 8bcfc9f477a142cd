package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.MarkOnce;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/**
 * Creates requests that refund a decision, end a reservation, or renew or release the permits of a running call. A marker in
 * the store denies repeated refunds.
 */
final class RefundOperations {

    /** Shortest time for which the end of a reservation is remembered: other calls may keep its permits in use longer. */
    private static final Duration SHORTEST = Refunds.RETRY_TIME.multipliedBy(2);
    /** Longest time by which Redis may run a request later than its sender expects. */
    private static final Duration LATE = Duration.ofSeconds(1);
    /** Key of the markers; no limit has such a name. */
    private static final String MARKERS = "refunds:ids";
    /** Prefix of the id that marks the end of a reservation. */
    private static final String END = "end:";

    private RefundOperations() {
    }

    /**
     * Refunds permits to the limits of a decision; {@code null} if there is nothing to refund.
     *
     * @param cost what limits get back that count the cost
     * @param calls what limits get back that count calls
     * @param marker see {@link #marker}; empty for a refund that is not repeated
     */
    static StoreRequest refund(Decision decision, long cost, long calls, List<LimitOperation> marker) {
        long chargedAt = ChronoUnit.MICROS.between(Instant.EPOCH, decision.chargedAt());
        List<LimitOperation> operations = new ArrayList<>(marker);
        for (LimitState state : decision.limitsAsCharged()) {
            PolicyLimit limit = new PolicyLimit(state.limit(), state.definition());
            long count = state.definition().counts() == Counts.COST ? cost : calls;
            if (count > 0 && !limit.rule().holdsPermits()) {
                operations.add(operation(decision, limit.storedName(),
                        limit.rule().refund(state, chargedAt, count, decision.id())));
            }
        }
        return operations.size() == marker.size() ? null : new StoreRequest(operations);
    }

    /**
     * Marks a refund as long as it may be repeated; empty if it is not repeated.
     *
     * @param confirmed the ids of other refunds, whose marks it removes
     * @param timeout of an attempt. The retries begin after the first one, and the last one begins before they end.
     */
    static List<LimitOperation> marker(Decision decision, List<Long> confirmed, Duration timeout) {
        long retryMillis = Refunds.retryMillis(decision);
        return retryMillis == 0 ? List.of()
                : List.of(operation(decision, MARKERS, new MarkOnce(id(decision.id()),
                        LATE.plusMillis(retryMillis).plus(timeout.multipliedBy(2)),
                        confirmed.stream().map(RefundOperations::id).toList())));
    }

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

        /** Returns what a call holds if it is allowed. */
        static List<HeldPermits> of(Call call) {
            List<HeldPermits> all = new ArrayList<>(1);
            call.charges().forEach(keyed -> keyed.policy().limits().forEach(limit -> add(keyed.policy().name(), keyed.key(),
                    limit, limit.charged(keyed.charge().requested()).cost(), all)));
            return all;
        }

        /** Returns what a call holds after this decision. */
        static List<HeldPermits> of(Decision decision) {
            List<HeldPermits> all = new ArrayList<>(1);
            for (LimitState state : decision.ownLimits()) {
                PolicyLimit limit = new PolicyLimit(state.limit(), state.definition());
                add(decision.policy(), decision.key(), limit, limit.countsCost() ? decision.granted() : 1, all);
            }
            return all;
        }

        private static void add(String policy, String key, PolicyLimit limit, long count, List<HeldPermits> all) {
            if (limit.rule().holdsPermits()) {
                all.add(new HeldPermits(new LimitKey(policy, limit.storedName(), key), limit, count));
            }
        }

        /** Renews the permits of one decision, unless another instance has ended the reservation. */
        static StoreRequest renewal(List<HeldPermits> held, long id) {
            LimitKey first = held.get(0).key;
            List<LimitOperation> operations = new ArrayList<>();
            operations.add(new LimitOperation(new LimitKey(first.policy(), MARKERS, first.callerKey()),
                    MarkOnce.unlessMarked(END + id(id))));
            held.forEach(permits -> operations.add(new LimitOperation(permits.key,
                    permits.limit.rule().acquire(new PermitRequest(permits.count, OperationKind.CHARGE, id)))));
            return new StoreRequest(operations);
        }

        static StoreRequest release(List<HeldPermits> held, long id) {
            return new StoreRequest(held.stream().map(permits -> new LimitOperation(permits.key,
                    permits.limit.rule().refund(null, 0, permits.count, id))).toList());
        }

        /** Returns the time until the first of these permits expires unless it is renewed. */
        static Duration shortestLeaseTime(List<HeldPermits> held) {
            return held.stream().map(permits -> permits.limit.limit().leaseTime()).min(Duration::compareTo).orElseThrow();
        }
    }

    /**
     * Holds the ids of refunds that Redis has confirmed at their first attempt. They are not repeated, so the next refund of
     * the same key removes their marks.
     */
    static final class ConfirmedRefunds {

        /** Bounds the memory. The marks of ids that are not held stay until they expire. */
        private static final int MAX_KEYS = 1 << 10;
        private static final int MAX_IDS = 256;

        private final Map<LimitKey, List<Long>> idsByKey = new HashMap<>();

        synchronized void add(Decision refunded) {
            if (idsByKey.size() >= MAX_KEYS) {
                idsByKey.clear();
            }
            List<Long> ids = idsByKey.computeIfAbsent(keyOf(refunded), key -> new ArrayList<>(1));
            if (ids.size() < MAX_IDS) {
                ids.add(refunded.id());
            }
        }

        /** Returns the ids of other refunds of the same key. Each is returned once. */
        synchronized List<Long> take(Decision decision) {
            List<Long> ids = idsByKey.remove(keyOf(decision));
            return ids == null ? List.of() : ids;
        }

        private static LimitKey keyOf(Decision decision) {
            return new LimitKey(decision.policy(), "", decision.key());
        }
    }
}
