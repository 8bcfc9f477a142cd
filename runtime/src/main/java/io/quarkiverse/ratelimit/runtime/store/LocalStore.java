package io.quarkiverse.ratelimit.runtime.store;

import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
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
}
