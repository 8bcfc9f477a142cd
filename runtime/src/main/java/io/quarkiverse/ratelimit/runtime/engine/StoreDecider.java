package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.decision.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.CallStore;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/** Decides a call: by the denial cache, else in Redis, else by the fallback; or only in memory, without Redis. */
public record StoreDecider(CallStore store, DenialCache denials, Fallback fallback, LeaseRenewal leases, FailureLog mistakes)
        implements
            Decider {

    /**
     * Creates a store of calls that counts each call by one request to this store.
     *
     * @param source {@code REDIS} or {@code MEMORY}, where the store counts
     */
    public static CallStore counting(LimitStore store, Source source) {
        return (call, deadline) -> PlainUni.map(store.decide(call.request(), deadline),
                reply -> Outcome.of(call, reply, source));
    }

    @Override
    public Uni<Outcome> decide(Call call, Deadline deadline, Observers observers) {
        long began = denials.now();
        Outcome repeated = denials.denial(call, began);
        if (repeated != null) {
            observers.notifyOf(repeated, call.exempt());
            return PlainUni.item(repeated);
        }
        return PlainUni.mapItemOrFailure(store.decide(call, deadline), (counted, failure) -> {
            Outcome outcome = failure == null ? counted : fallBack(call, failure);
            denials.record(call, outcome, began);
            observers.notifyOf(outcome, call.exempt());
            return outcome;
        });
    }

    Outcome fallBack(Call call, Throwable failure) {
        mistakes.failedUnlessRedis(failure);
        boolean mayBeCounted = !(failure instanceof RedisStoreException ofRedis) || ofRedis.mayBeCounted();
        if (mayBeCounted) {
            leases.releaseUnanswered(call);
        }
        return fallback.decide(call);
    }
}
