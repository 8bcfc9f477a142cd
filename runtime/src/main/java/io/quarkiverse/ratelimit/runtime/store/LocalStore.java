package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.smallrye.mutiny.Uni;

/** Decides in the memory of this instance, with the same algorithms as Redis; sweeps expired states. */
public final class LocalStore implements LimitStore {

    private final LongSupplier clock;
    private final StateMap states;

    /** @param clock microseconds since the epoch; must never go back */
    public LocalStore(LongSupplier clock) {
        this(clock, new StateMap());
    }

    LocalStore(LongSupplier clock, StateMap states) {
        this.clock = clock;
        this.states = states;
    }

    public void forgetAll() {
        states.forgetAll();
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
        return decide(request);
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request) {
        return PlainUni.item(() -> decideNow(request));
    }

    /** Decides immediately, as no remote request is needed. */
    public StoreReply decideNow(StoreRequest request) {
        long parts = 0;
        for (int i = 0; i < request.policies().size(); i++) {
            parts |= 1L << StateMap.indexOf(request.policies().get(i).caller());
        }
        return decideLocked(request, parts);
    }

    /** Locks the parts of all callers, nearly always one, in the order of their indexes, so that no two threads block. */
    private StoreReply decideLocked(StoreRequest request, long parts) {
        if (parts == 0) {
            return decideAll(request);
        }
        StatePart next = states.part(Long.numberOfTrailingZeros(parts));
        next.lock();
        try {
            return decideLocked(request, parts & parts - 1);
        } finally {
            next.unlock();
        }
    }

    private StoreReply decideAll(StoreRequest request) {
        long now = clock.getAsLong();
        LimitResult[] results = new LimitResult[request.limits()];
        StoreReply reply = read(request, now, 0, results);
        if (request.equalGrants()) {
            long least = reply.least(0, results.length);
            if (least > 0) {
                reply = read(request, now, least, results);
            }
        }
        write(request, reply, results, now);
        return reply;
    }

    private StoreReply read(StoreRequest request, long now, long cost, LimitResult[] results) {
        List<LimitReply> replies = new ArrayList<>(results.length);
        for (int i = 0; i < request.policies().size(); i++) {
            PolicyRequest policy = request.policies().get(i);
            StatePart part = states.part(StateMap.indexOf(policy.caller()));
            List<LimitOperation> operations = policy.operations();
            for (int j = 0; j < operations.size(); j++) {
                LimitOperation limit = operations.get(j);
                StateKey key = new StateKey(policy.policy().name(), limit.limit(), policy.caller());
                State state = part.of(key);
                OperationResult result = limit.operation().decide(states.stored(state, now), now, cost);
                results[replies.size()] = new LimitResult(part, key, state, result);
                replies.add(result.reply());
            }
        }
        return new StoreReply(now, replies);
    }

    private void write(StoreRequest request, StoreReply reply, LimitResult[] results, long now) {
        boolean allowed = request.allowedBy(reply);
        int first = 0;
        for (int i = 0; i < request.policies().size(); i++) {
            int end = first + request.policies().get(i).operations().size();
            boolean charged = allowed && reply.allows(first, end - first);
            for (; first < end; first++) {
                OperationResult result = results[first].result;
                if (result.stored() != null && (charged || result.reply().granted() == 0)) {
                    keep(results[first], now);
                }
            }
        }
    }

    private void keep(LimitResult limit, long now) {
        Object stored = limit.result.stored().get();
        if (stored == null) {
            limit.part.forget(limit.key);
        } else {
            states.keep(limit.part, limit.key, limit.state, stored, limit.result.expiresAt(), now);
        }
    }

    /** The result of the operation on one limit, with its part, key and previous state. */
    private record LimitResult(StatePart part, StateKey key, State state, OperationResult result) {
    }
}
