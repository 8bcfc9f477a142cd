package io.quarkiverse.ratelimit.runtime.store.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.memory.StateMap.State;
import io.smallrye.mutiny.Uni;

/** Decides in the memory of this instance, with the same algorithms as Redis; sweeps expired states. */
public final class LocalStore implements LimitStore {

    private static final Comparator<State> BY_KEY = (one, other) -> one.key.compareTo(other.key);

    private final LongSupplier clock;
    private final StateMap states;
    private final LocalOverrides overrides;
    private final LocalDenials denials;

    /** @param clock microseconds since the epoch; it may step both ways */
    public LocalStore(LongSupplier clock) {
        this(clock, new StateMap());
    }

    LocalStore(LongSupplier clock, StateMap states) {
        this.clock = clock;
        this.states = states;
        this.overrides = new LocalOverrides(clock);
        this.denials = new LocalDenials(clock);
    }

    public OverrideStore overrides() {
        return overrides;
    }

    public DenialStore denials() {
        return denials;
    }

    public void clear() {
        states.clear();
        overrides.clear();
        denials.lastMinute().clear();
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
        return decide(request);
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request) {
        return PlainUni.item(() -> decideNow(request));
    }

    public StoreReply decideNow(StoreRequest request) {
        return new LocalDecision(request).decide();
    }

    /** Decides one request in memory: locks the states of all its limits, reads them all, then writes all or none. */
    private final class LocalDecision {

        private final StoreRequest request;
        private final State[] locked;
        private final OperationResult[] results;
        private long now;
        /** Number of other states to sweep afterwards. */
        private int dueSweeps;

        LocalDecision(StoreRequest request) {
            this.request = request;
            this.locked = new State[request.operations().size()];
            this.results = new OperationResult[locked.length];
        }

        StoreReply decide() {
            StoreReply reply;
            do {
                for (int i = 0; i < locked.length; i++) {
                    locked[i] = states.of(request.operations().get(i).key());
                }
                State[] sorted = locked.clone();
                // all threads lock in the same order, so that none blocks another for good
                Arrays.sort(sorted, BY_KEY);
                reply = decideLocked(sorted, 0);
            } while (reply == null);
            states.sweep(dueSweeps, now);
            return reply;
        }

        /** Locks the remaining states and decides. Returns {@code null} if one of them was removed before. */
        private StoreReply decideLocked(State[] sorted, int first) {
            if (first == sorted.length) {
                return decideAll();
            }
            synchronized (sorted[first]) {
                return sorted[first].removed ? null : decideLocked(sorted, first + 1);
            }
        }

        private StoreReply decideAll() {
            now = clock.getAsLong();
            if (request.overflows()) {
                return decideOverflows();
            }
            StoreReply reply = read(0);
            if (request.equalGrants() && reply.least() > 0) {
                reply = read(reply.least());
            }
            write(reply, null);
            return reply;
        }

        private StoreReply decideOverflows() {
            OverflowDecision decision = new OverflowDecision(request.operations(), (index, before) -> results[index] = request
                    .operations().get(index).operation().decide(states.stored(locked[index], now), now, 0, before));
            StoreReply reply = new StoreReply(now, decision.replies());
            write(reply, decision);
            return reply;
        }

        private StoreReply read(long cost) {
            List<LimitReply> replies = new ArrayList<>(results.length);
            for (int i = 0; i < results.length; i++) {
                Operation operation = request.operations().get(i).operation();
                results[i] = operation.decide(states.stored(locked[i], now), now, cost, replies);
                replies.add(results[i].reply());
            }
            return new StoreReply(now, replies);
        }

        /** @param overflows which operations take effect that grant permits; {@code null} for a call without overflows */
        private void write(StoreReply reply, OverflowDecision overflows) {
            for (int i = 0; i < results.length; i++) {
                OperationResult result = results[i];
                // a denial writes, too: it repairs an outdated key, or counts towards a block
                if (result != null && result.stored() != null && (result.reply().granted() == 0
                        || (overflows == null ? request.takesEffect(request.operations().get(i).group(), reply)
                                : overflows.charges(i)))) {
                    dueSweeps += states.keep(locked[i], result.stored().get(), result.expiresAt());
                }
            }
            for (State state : locked) {
                if (state.weight == 0) {
                    states.remove(state);
                }
            }
        }
    }
}
