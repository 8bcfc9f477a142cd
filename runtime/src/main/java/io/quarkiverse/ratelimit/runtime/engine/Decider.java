package io.quarkiverse.ratelimit.runtime.engine;

import java.util.function.Consumer;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.SequentialDecider.Part;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.CallStore;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.redis.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.smallrye.mutiny.Uni;

/** Decides a call: by the denial cache, else in Redis, else by the fallback; or only in memory, without Redis. */
public final class Decider {

    private final CallStore store;
    private final Source source;
    private final Fallback fallback;
    private final LeaseRenewal leases;
    private final DenialCache denials;
    private final Refunds refunds;
    private final FailureLog mistakes;

    /**
     * @param store the store in memory if that counts in place of Redis
     * @param source {@code REDIS} or {@code MEMORY}, where the store counts
     * @param replicas the number of instances that share the limits when each counts for itself
     */
    public Decider(CallStore store, Source source, LocalStore local, LeaseRenewal leases, Refunds refunds, DenialCache denials,
            FailureLog mistakes, int replicas) {
        this.mistakes = mistakes;
        this.refunds = refunds;
        this.denials = denials;
        this.store = store;
        this.source = source;
        this.fallback = new Fallback(local, leases, replicas);
        this.leases = leases;
    }

    /**
     * Decides without blocking and before the deadline. Fails only after a mistake in the code of the fallback. Looks into the
     * denial cache at once; each subscription
     * sends the request to the store.
     *
     * @param observed is called with the outcome before it is emitted; an operator for it would cost more
     */
    Uni<Outcome> decide(Call call, Deadline deadline, Consumer<Outcome> observed) {
        if (call.policies().size() > 1 && store.isSharded()) {
            return new SequentialDecider(this, refunds, deadline).decide(call)
                    .onFailure().recoverWithItem(mistake -> fallBack(call, mistake)).invoke(observed);
        }
        boolean cacheable = source == Source.REDIS && DenialCache.isCacheable(call);
        long sent = cacheable ? denials.now() : 0;
        int changes = cacheable ? denials.changes(call.policies().get(0)) : 0;
        Outcome denied = cacheable ? denials.denial(call.policies().get(0), sent) : null;
        if (denied != null) {
            observed.accept(denied);
            return PlainUni.item(denied);
        }
        return PlainUni.map(store.decide(call, deadline), (reply, failure) -> {
            Outcome outcome = outcome(call, reply, failure, counted -> {
                if (cacheable) {
                    denials.decided(call.policies().get(0), counted, sent, changes);
                } else {
                    denials.evictChanged(call);
                }
            });
            observed.accept(outcome);
            return outcome;
        });
    }

    /** Decides a part of a call. */
    Uni<Part> decidePart(Call part, Deadline deadline) {
        return PlainUni.map(store.decide(part, deadline), (reply, failure) -> new Part(
                outcome(part, reply, failure, counted -> denials.evictChanged(part)), part, reply));
    }

    /** @param counted called with the outcome if the store has decided */
    private Outcome outcome(Call call, StoreReply reply, Throwable failure, Consumer<Outcome> counted) {
        if (failure != null) {
            return fallBack(call, failure);
        }
        try {
            Outcome outcome = Outcome.of(call, reply, source, leases.begin(call, reply, source));
            counted.accept(outcome);
            return outcome;
        } catch (RuntimeException mistake) {
            return fallBack(call, mistake);
        }
    }

    private Outcome fallBack(Call call, Throwable failure) {
        mistakes.failedUnlessRedis(failure);
        if (!(failure instanceof RedisStoreException known) || known.mayBeCounted()) {
            leases.abandon(call);
        }
        return fallback.decide(call);
    }
}
