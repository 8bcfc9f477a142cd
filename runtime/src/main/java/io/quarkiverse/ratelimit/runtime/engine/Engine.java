package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.smallrye.mutiny.Uni;

/** Decides whether a call of a guarded method goes ahead: resolves who is calling, asks Redis, else falls back. */
public final class Engine {

    private final Decider decider;

    public Engine(LimitStore redis, LimitStore local) {
        this.decider = new Decider(redis, local);
    }

    /**
     * Decides once per subscription, without blocking, in a bounded time; never fails. The outcome may arrive on an
     * event loop that is not the caller's.
     */
    public Uni<Outcome> decide(Guard guard, Caller caller) {
        List<Asked> asked = new ArrayList<>(guard.charges().size());
        for (Charge charge : guard.charges()) {
            Policy policy = charge.policy();
            String key = policy.key() == null ? ""
                    : policy.key().resolve(caller, guard.method(), policy.missingKey());
            if (key != null) {
                asked.add(new Asked(charge, key));
            } else if (policy.missingKey() == MissingKey.REFUSE && policy.mode() == Mode.ENFORCE) {
                return Uni.createFrom().item(new Outcome(List.of(Decisions.withoutCaller(charge))));
            }
        }
        if (asked.isEmpty()) {
            return Uni.createFrom().item(Outcome.UNGUARDED);
        }
        return decider.decide(asked);
    }
}
