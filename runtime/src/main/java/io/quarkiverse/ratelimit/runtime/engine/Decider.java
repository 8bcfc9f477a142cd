package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/** Decides calls: {@link StoreDecider}, or in a cluster {@link ClusterDecider}. */
public interface Decider {

    /**
     * Decides without blocking and before the deadline. Fails only after a mistake in the code of the fallback. Must be
     * subscribed to only once, as each subscription charges the call. The outcome has no lease.
     *
     * @param observers are notified before the outcome is emitted; for a cached denial, before this method returns, because
     *        an operator would cost more
     */
    Uni<Outcome> decide(Call call, Deadline deadline, Observers observers);
}
