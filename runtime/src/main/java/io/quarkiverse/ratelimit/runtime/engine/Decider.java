package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.SequentialDecider.Part;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.redis.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;

/** Decides a call: by the denial cache, else in Redis, else by the fallback; or only in memory, without Redis. */
public final class Decider {

    private final LimitStore redis;
    private final Source source;
    private final Fallback fallback;
    private final LeaseRenewal leases;
    private final DenialCache denials;
    private final Refunds refunds;

    /**
     * @param redis the store in memory if that counts in place of Redis
     * @param source {@code REDIS} or {@code MEMORY}, where the store counts
     * @param replicas the number of instances that share the limits when each counts for itself
     */
    public Decider(LimitStore redis, Source source, LocalStore local, LeaseRenewal leases, Refunds refunds, DenialCache denials,
            int replicas) {
        this.refunds = refunds;
        this.denials = denials;
        this.redis = redis;
        this.source = source;
        this.fallback = new Fallback(local, leases, replicas);
        this.leases = leases;
    }

    /** Decides once, without blocking and before the deadline; never fails. */
    Uni<Outcome> decide(StoreRequest request, Deadline deadline) {
        Outcome outcome = decideNow(request);
        return outcome == null ? decideInRedis(request, deadline) : PlainUni.item(outcome);
    }

    /**
     * Decides without a request to Redis: by the denial cache, with prefetched permits, or in the store in memory. Returns
     * {@code null} if a request to Redis is needed. In that case, {@link #decideInRedis} must follow.
     */
    Outcome decideNow(StoreRequest request) {
        if (isSequential(request)) {
            return null;
        }
        Outcome denied = isCacheable(request) ? denials.denial(request.policies().get(0)) : null;
        if (denied != null) {
            return denied;
        }
        StoreReply reply = redis.decideNow(request);
        return reply == null ? null : outcome(request, reply);
    }

    /** Decides in Redis, or by the fallback when Redis fails. Each subscription sends the request once. */
    Uni<Outcome> decideInRedis(StoreRequest request, Deadline deadline) {
        if (isSequential(request)) {
            return new SequentialDecider(this, refunds, deadline).decide(request);
        }
        long sent = denials.now(), changes = denials.changes();
        return PlainUni.map(redis.decide(request, deadline), (reply, failure) -> {
            if (failure != null) {
                return fallBack(request, failure);
            }
            Outcome outcome = outcome(request, reply);
            if (isCacheable(request)) {
                denials.decided(request.policies().get(0), outcome, sent, changes);
            } else {
                denials.charged(request);
            }
            return outcome;
        });
    }

    private boolean isSequential(StoreRequest request) {
        return request.policies().size() > 1 && !redis.decidesTogether();
    }

    private boolean isCacheable(StoreRequest request) {
        return source == Source.REDIS && DenialCache.isCacheable(request);
    }

    private Outcome outcome(StoreRequest request, StoreReply reply) {
        return new DecisionFactory(request, reply, source).outcome(leases);
    }

    /** Decides a part of a call that the store cannot decide together with the others. */
    Uni<Part> decidePart(StoreRequest part, Deadline deadline) {
        StoreReply now = redis.decideNow(part);
        Uni<StoreReply> decided = now == null ? redis.decide(part, deadline) : PlainUni.item(now);
        return PlainUni.map(decided,
                (reply, failure) -> new Part(failure != null ? fallBack(part, failure) : outcome(part, reply), part, reply));
    }

    private Outcome fallBack(StoreRequest request, Throwable failure) {
        if (failure instanceof RedisStoreException unavailable && unavailable.mayBeCounted()) {
            leases.abandon(request);
        }
        return fallback.decide(request);
    }
}
