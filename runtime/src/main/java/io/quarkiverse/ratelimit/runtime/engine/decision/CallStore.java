package io.quarkiverse.ratelimit.runtime.engine.decision;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/** Counts calls by requests to a store. */
@FunctionalInterface
public interface CallStore {

    /** Decides a call. Each subscription sends its request once. A failure means that the store cannot decide. */
    Uni<Outcome> decide(Call call, Deadline deadline);
}
