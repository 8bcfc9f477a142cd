package io.quarkiverse.ratelimit.runtime.engine.call;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/**
 * One call that is to be decided: the policies that limit it, and the request to the store that contains all of them.
 *
 * @param id identifies the call, and what it acquires, among all others
 * @param charges one for each policy that limits the call, with its key
 * @param deadline of the decision
 */
public record Call(long id, List<KeyedCharge> charges, StoreRequest request, Deadline deadline) {

    public Call(long id, List<KeyedCharge> charges, Deadline deadline) {
        this(id, charges, request(id, charges), deadline);
    }

    public Call(long id, Charge charge, String key, Deadline deadline) {
        this(id, List.of(new KeyedCharge(charge, key)), deadline);
    }

    private static StoreRequest request(long id, List<KeyedCharge> charges) {
        List<LimitOperation> operations = new ArrayList<>(charges.size());
        boolean overflows = false;
        int shadows = 0;
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i).charge;
            if (charges.get(i).first != null) {
                overflows = true;
                charge.addTo(operations, charges.get(i).key, id, groupInChain(charges, i, operations));
                continue;
            }
            shadows += charge.shadow() ? 1 : 0;
            // shadow policies for which no group is free share the last one, and are charged together
            int group = charge.requested().kind() == OperationKind.ACQUIRE_UP_TO ? LimitOperation.EQUAL_GRANTS
                    : !charge.shadow() ? LimitOperation.ENFORCED
                            : Math.min(LimitOperation.ENFORCED + shadows, LimitOperation.LAST_SHADOW);
            charge.addTo(operations, charges.get(i).key, id, (char) group);
        }
        return new StoreRequest(operations, overflows);
    }

    /** Returns the group of a policy that has an overflow or is one. It differs from that of the operations before. */
    private static char groupInChain(List<KeyedCharge> charges, int index, List<LimitOperation> before) {
        KeyedCharge keyed = charges.get(index);
        char last = before.isEmpty() ? LimitOperation.ENFORCED : before.get(before.size() - 1).group();
        if (keyed.isOverflow()) {
            return last == LimitOperation.OVERFLOW ? LimitOperation.NEXT_OVERFLOW : LimitOperation.OVERFLOW;
        }
        int end = index;
        while (end + 1 < charges.size() && keyed.first.equals(charges.get(end + 1).first)) {
            end++;
        }
        return !charges.get(end).charge.allowsAlways() ? LimitOperation.CHAIN
                : last == LimitOperation.OPEN_CHAIN ? LimitOperation.NEXT_OPEN_CHAIN : LimitOperation.OPEN_CHAIN;
    }

    /** Returns a call of the same policies with other charges. */
    public Call with(long otherId, Deadline otherDeadline, Function<KeyedCharge, Charge> other) {
        return new Call(otherId, charges.stream().map(keyed -> keyed.with(other.apply(keyed))).toList(),
                otherDeadline);
    }

    /**
     * Returns whether the call needs nothing but its decision, also if it is canceled: it is not delayed, counts whatever its
     * status is, is no estimate, and holds no permits.
     */
    public boolean isPlain() {
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).charge.requested().refundable() || charges.get(i).charge.operations() == null) {
                return false;
            }
        }
        return true;
    }

    /**
     * Holds what one policy charges a call, under one key.
     *
     * @param key the stored form of the caller's key
     * @param first name of the first policy of its chain, whose other policies are next to it in the call; {@code null} if it
     *        has no overflow and is none
     */
    public record KeyedCharge(Charge charge, String key, String first) {

        public KeyedCharge(Charge charge, String key) {
            this(charge, key, null);
        }

        public KeyedCharge with(Charge other) {
            return new KeyedCharge(other, key, first);
        }

        /** Returns whether the call asks this policy only if another one denies. */
        public boolean isOverflow() {
            return first != null && !first.equals(policy().name());
        }

        /** Returns the policy with the limits in force. */
        public Policy policy() {
            return charge.policy();
        }

        /** Returns the policy and the key, which identify the caller in caches. */
        public LimitKey name() {
            return new LimitKey(policy().name(), "", key);
        }
    }
}
