package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.redis.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.CallIds;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.Uni;

/**
 * Acquires permits ahead for keys that are often used, in the request of a call, and hands them out without a request to
 * Redis. Refunds what is not used in time. A call is denied by Redis only, after this instance has refunded what it holds.
 */
public final class PrefetchedPermits implements LimitStore {

    private final LimitStore redis;
    private final CallIds ids;
    private final UnusedPermits unused;
    private final LongSupplier clock;
    private final PrefetchTable keys = new PrefetchTable();
    private volatile boolean stopped;

    /** @param clock nanoseconds */
    public PrefetchedPermits(LimitStore redis, Refunds refunds, CallIds ids, Timers timers, LongSupplier clock) {
        this.redis = redis;
        this.ids = ids;
        this.unused = new UnusedPermits(keys, refunds, timers, clock);
        this.clock = clock;
    }

    @Override
    public boolean isSharded() {
        return redis.isSharded();
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request) {
        return redis.decide(request);
    }

    private static boolean mayHandOut(StoreRequest request) {
        PolicyRequest first = request.parts().get(0);
        return request.parts().size() == 1 && !first.policy().prefetch().isOff()
                && first.requested().kind() == OperationKind.ACQUIRE && first.policy().supportsPrefetch();
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
        if (!mayHandOut(request)) {
            Uni<Void> refunded = unused.refunded(request, deadline);
            return refunded == null ? redis.decide(request, deadline) : refunded.chain(() -> redis.decide(request, deadline));
        }
        return PlainUni.deferred(() -> {
            PolicyRequest only = request.parts().get(0);
            long now = clock.getAsLong();
            PrefetchedKey key = keys.of(only.policy(), only.key(), now);
            return key == null ? redis.decide(request, deadline) : decide(request, only, key, deadline, now);
        });
    }

    private Uni<StoreReply> decide(StoreRequest request, PolicyRequest only, PrefetchedKey key, Deadline deadline, long now) {
        long cost = only.requested(0).cost();
        boolean outdated;
        StoreRequest own;
        PrefetchExchange underWay;
        PrefetchExchange begun = null;
        StoreRequest prefetching = null;
        synchronized (key) {
            key.called(only.policy(), cost, now);
            StoreReply reply = key.handOut(only.policy(), cost, now);
            if (reply != null) {
                return PlainUni.item(reply);
            }
            outdated = key.isOutdated(now);
            own = key.tracked(request, now);
            underWay = key.exchange();
            if (underWay == null && !stopped) {
                long ahead = key.ahead(only.policy(), cost, now);
                prefetching = ahead > 0 ? prefetching(only, ahead) : null;
                begun = ahead > 0 ? key.begin(deadline, now) : null;
            }
        }
        if (outdated) {
            unused.refund(key);
        }
        if (begun != null) {
            return exchange(prefetching, key, begun, deadline, now);
        }
        return underWay != null && underWay.isInTime(deadline) ? afterExchange(underWay, own, only, key, deadline)
                : byRedis(own, key, deadline);
    }

    /** Decides in Redis. If it denies while this instance holds permits, it decides again after these are refunded. */
    private Uni<StoreReply> byRedis(StoreRequest request, PrefetchedKey key, Deadline deadline) {
        PolicyRequest only = request.parts().get(0);
        if (only.policy().countsDenials()) {
            // a denial counts towards a penalty, so there must be no other reason for it
            return key.isHolding() ? unused.refunded(key, deadline).chain(() -> redis.decide(request, deadline))
                    : redis.decide(request, deadline);
        }
        int limits = only.operations().size();
        return PlainUni.chain(redis.decide(request, deadline), reply -> reply.allows(0, limits) || !key.isHolding()
                ? PlainUni.item(reply)
                : unused.refunded(key, deadline).chain(() -> redis.decide(request, deadline)).onFailure()
                        .recoverWithItem(reply));
    }

    private Uni<StoreReply> afterExchange(PrefetchExchange underWay, StoreRequest request, PolicyRequest only,
            PrefetchedKey key, Deadline deadline) {
        return PlainUni.chain(underWay.end(), ended -> {
            StoreReply reply;
            synchronized (key) {
                reply = key.handOut(only.policy(), only.requested(0).cost(), clock.getAsLong());
            }
            return reply != null ? PlainUni.item(reply) : byRedis(request, key, deadline);
        });
    }

    /** Acquires the permits of a call and some ahead. The exchange ends whatever happens, as other calls wait for it. */
    private Uni<StoreReply> exchange(StoreRequest request, PrefetchedKey key, PrefetchExchange exchange, Deadline deadline,
            long sent) {
        Uni<StoreReply> replied = PlainUni.invoke(redis.decide(request, deadline), (reply, failure) -> {
            PrefetchLot acquired = null;
            try {
                acquired = reply == null ? null : PrefetchLot.of(request, reply, sent);
            } finally {
                end(key, exchange, acquired);
            }
            if (failure instanceof RedisStoreException unavailable) {
                unavailable.onLateReply(late -> unused.refund(PrefetchLot.of(request, late, sent)));
            }
        });
        // other calls wait for the reply, so it must arrive also when this call is canceled
        Uni<StoreReply> own = PlainUni.map(replied,
                reply -> PrefetchLot.ofRequest(reply, request.parts().get(0).requested().least()));
        return PlainUni.emitter(emitter -> PlainUni.subscribe(own, emitter::complete, emitter::fail));
    }

    private StoreRequest prefetching(PolicyRequest only, long ahead) {
        PermitRequest requested = only.requested(0).prefetching(ahead);
        List<LimitOperation> operations = new ArrayList<>(only.operations());
        PolicyLimit limit = only.policy().limits().get(0);
        operations.set(0, new LimitOperation(limit.name(), limit.rule().acquire(requested)));
        return new StoreRequest(List.of(new PolicyRequest(only.policy(), requested, only.key(), operations)), ids.next());
    }

    private void end(PrefetchedKey key, PrefetchExchange exchange, PrefetchLot acquired) {
        try {
            boolean unwanted, unwatched = false;
            synchronized (key) {
                key.end(acquired, clock.getAsLong());
                unwanted = stopped || exchange.isInvalid();
                unwatched = acquired != null && key.startWatching();
            }
            if (unwanted) {
                unused.refund(key);
            }
            if (unwatched) {
                unused.watch(key);
            }
        } finally {
            exchange.ended();
        }
    }

    /** Refunds what this instance holds for a key whose state has changed. */
    public void refund(String policy, String key) {
        PrefetchedKey known = keys.known(policy, key);
        if (known != null) {
            known.invalidate();
            unused.refund(known);
        }
    }

    /** Drops everything, after all keys were removed from Redis. */
    public void drop() {
        keys.forEach(PrefetchedKey::drop);
    }

    /** Acquires nothing ahead any more, and refunds everything. */
    public Uni<Void> stop() {
        stopped = true;
        return unused.refundAll();
    }
}
