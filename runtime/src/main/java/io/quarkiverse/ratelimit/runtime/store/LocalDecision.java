package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;

/** Decides one request in memory: locks the states of all its limits, reads them all, then writes all or none. */
final class LocalDecision {

    private final StoreRequest request;
    private final StateMap map;
    private final LongSupplier clock;
    private final State[] states;
    private final OperationResult[] results;
    private long now;
    /** How many other states to sweep afterwards. */
    private int dueSweeps;

    LocalDecision(StoreRequest request, StateMap map, LongSupplier clock) {
        this.request = request;
        this.map = map;
        this.clock = clock;
        this.states = new State[request.operationCount()];
        this.results = new OperationResult[states.length];
    }

    StoreReply decide() {
        StoreReply reply;
        do {
            findStates();
            reply = decideLocked(inLockOrder(), 0);
        } while (reply == null);
        map.sweep(dueSweeps, now);
        return reply;
    }

    private void findStates() {
        int found = 0;
        for (int i = 0; i < request.parts().size(); i++) {
            PolicyRequest policy = request.parts().get(i);
            List<LimitOperation> operations = policy.operations();
            for (int j = 0; j < operations.size(); j++) {
                states[found++] = map.of(new StateKey(policy.policy().name(), operations.get(j).name(), policy.key()));
            }
        }
    }

    private State[] inLockOrder() {
        if (states.length < 2) {
            return states;
        }
        State[] sorted = states.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    /** Locks the remaining states and decides; {@code null} if one of them was removed before. */
    private StoreReply decideLocked(State[] sorted, int locked) {
        if (locked == sorted.length) {
            return decideAll();
        }
        State next = sorted[locked];
        synchronized (next) {
            return next.isRemoved() ? null : decideLocked(sorted, locked + 1);
        }
    }

    private StoreReply decideAll() {
        now = clock.getAsLong();
        StoreReply reply = read(0);
        if (request.equalGrants()) {
            long least = reply.least(0, results.length);
            if (least > 0) {
                reply = read(least);
            }
        }
        write(reply);
        return reply;
    }

    private StoreReply read(long cost) {
        List<LimitReply> replies = new ArrayList<>(results.length);
        for (int i = 0; i < request.parts().size(); i++) {
            List<LimitOperation> operations = request.parts().get(i).operations();
            boolean denied = false;
            for (int j = 0; j < operations.size(); j++) {
                int limit = replies.size();
                results[limit] = operations.get(j).operation().decide(map.stored(states[limit], now), now, cost, denied);
                replies.add(results[limit].reply());
                denied |= results[limit].reply().granted() == 0;
            }
        }
        return new StoreReply(now, replies);
    }

    private void write(StoreReply reply) {
        boolean allowed = request.allowedBy(reply);
        int first = 0;
        for (int i = 0; i < request.parts().size(); i++) {
            List<LimitOperation> operations = request.parts().get(i).operations();
            boolean charged = allowed && reply.allows(first, operations.size());
            for (int j = 0; j < operations.size(); j++, first++) {
                OperationResult result = results[first];
                if (result.stored() != null && (charged || result.reply().granted() == 0)
                        && !isUseless(operations.get(j).operation())) {
                    dueSweeps += map.keep(states[first], result.stored().get(), result.expiresAt());
                }
            }
        }
        for (State state : states) {
            if (state.weight() == 0 && !state.isRemoved()) {
                map.remove(state);
            }
        }
    }

    private boolean isUseless(Operation operation) {
        return results.length > 1 && operation.writesOnlyWithOthers()
                && Stream.of(results).filter(result -> result.stored() != null).count() == 1;
    }
}
