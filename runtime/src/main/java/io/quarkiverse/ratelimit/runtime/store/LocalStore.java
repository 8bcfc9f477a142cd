package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.store.StateMap.State;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/** Decides in the memory of this instance, with the same algorithms as Redis; sweeps expired states. */
public final class LocalStore implements LimitStore {

    private final LongSupplier clock;
    private final StateMap states;
    private final LocalOverrides overrides;
    private final LocalDenials denials;

    /** @param clock microseconds since the epoch; must never go back */
    public LocalStore(LongSupplier clock) {
        this(clock, new StateMap());
    }

    LocalStore(LongSupplier clock, StateMap states) {
        this.clock = clock;
        this.states = states;
        this.overrides = new LocalOverrides(clock);
        this.denials = new LocalDenials(clock);
    }

    /** Keeps overrides in the same memory. */
    public OverrideStore overrides() {
        return overrides;
    }

    /** Counts denials in the same memory. */
    public DenialStore denials() {
        return denials;
    }

    public void clear() {
        states.clear();
        overrides.clear();
        denials.clear();
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
        return decide(request);
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request) {
        return PlainUni.item(() -> decideNow(request));
    }

    /** Decides at once. */
    public StoreReply decideNow(StoreRequest request) {
        return new LocalDecision(request, states, clock).decide();
    }

    /** Decides one request in memory: locks the states of all its limits, reads them all, then writes all or none. */
    private static final class LocalDecision {

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
            this.states = new State[request.operations().size()];
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
            for (int i = 0; i < states.length; i++) {
                states[i] = map.of(request.operations().get(i).key());
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
                return next.removed ? null : decideLocked(sorted, locked + 1);
            }
        }

        private StoreReply decideAll() {
            now = clock.getAsLong();
            StoreReply reply = read(0);
            if (request.equalGrants()) {
                long least = reply.least();
                if (least > 0) {
                    reply = read(least);
                }
            }
            write(reply);
            return reply;
        }

        private StoreReply read(long cost) {
            List<LimitReply> replies = new ArrayList<>(results.length);
            for (int i = 0; i < results.length; i++) {
                results[i] = operation(i).decide(map.stored(states[i], now), now, cost, replies);
                replies.add(results[i].reply());
            }
            return new StoreReply(now, replies);
        }

        private void write(StoreReply reply) {
            for (int i = 0; i < results.length; i++) {
                OperationResult result = results[i];
                boolean takesEffect = result.stored() != null
                        && (result.reply().granted() == 0 || request.takesEffect(request.operations().get(i).group(), reply));
                if (takesEffect && !isUseless(operation(i))) {
                    dueSweeps += map.keep(states[i], result.stored().get(), result.expiresAt());
                }
            }
            for (State state : states) {
                if (state.weight == 0 && !state.removed) {
                    map.remove(state);
                }
            }
        }

        private Operation operation(int limit) {
            return request.operations().get(limit).operation();
        }

        private boolean isUseless(Operation operation) {
            return results.length > 1 && operation.writesOnlyWithOthers()
                    && Stream.of(results).filter(result -> result.stored() != null).count() == 1;
        }
    }
}
