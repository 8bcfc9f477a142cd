package io.quarkiverse.ratelimit.runtime.engine.call;

import io.smallrye.mutiny.Uni;

/** A link of the chain that decides calls. Each link decides by itself, or asks the next one. */
public interface Decider {

    /**
     * Decides without blocking and before the deadline of the call. Must be subscribed to only once, as each subscription
     * charges the call. A failure means that the store cannot decide.
     */
    Uni<Outcome> decide(Call call);
}
