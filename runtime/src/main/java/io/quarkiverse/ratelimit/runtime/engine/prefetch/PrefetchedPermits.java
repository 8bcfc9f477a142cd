package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.CallStore;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchLot.Exchange;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchedKey.Table;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.Uni;

/**
 * Acquires permits ahead for keys that are often used, in the request of a call, and hands them out without a request to
 * Redis. Refunds what is not used in time. A call is denied by Redis only, after this instance has refunded what it holds.
 */
public final class PrefetchedPermits implements CallStore {

    private final LimitStore redis;
    private final LongSupplier ids;
    private final UnusedPermits unused;
    private final LongSupplier clock;
    private final Table keys = new Table();
    private volatile boolean stopped;

    /** @param clock nanoseconds */
    public PrefetchedPermits(LimitStore redis, Refunds refunds, LongSupplier ids, Timers timers, LongSupplier clock) {
        this.redis = redis;
        this.ids = ids;
        this.unused = new UnusedPermits(keys, refunds, timers, clock);
        this.clock = clock;
    }

    private static boolean mayHandOut(Call call) {
        PolicyPart first = call.parts().get(0);
        return call.parts().size() == 1 && !first.policy().prefetch().isOff()
                && first.charge().requested.kind() == OperationKind.ACQUIRE && first.policy().supportsPrefetch();
    }

    @Override
    public Uni<Outcome> decide(Call call, Deadline deadline) {
        if (!mayHandOut(call)) {
            Uni<Void> refunded = unused.refunded(call, deadline);
            Uni<StoreReply> reply = redis.decide(call.request(), deadline);
            return outcome(call, refunded == null ? reply : refunded.chain(() -> reply));
        }
        return PlainUni.deferred(() -> {
            PolicyPart only = call.parts().get(0);
            long now = clock.getAsLong();
            PrefetchedKey key = keys.claimed(only.policy(), only.key(), now);
            return key == null ? outcome(call, redis.decide(call.request(), deadline)) : decide(call, key, deadline, now);
        });
    }

    private static Uni<Outcome> outcome(Call call, Uni<StoreReply> reply) {
        return PlainUni.map(reply, decided -> Outcome.of(call, decided, Source.REDIS));
    }

    private Uni<Outcome> decide(Call call, PrefetchedKey key, Deadline deadline, long now) {
        PolicyPart only = call.parts().get(0);
        boolean outdated;
        Call tracked;
        Exchange underWay, begun;
        long ahead;
        synchronized (key) {
            key.called(only.policy(), only.charge().ofLimits.get(0).cost(), now);
            Outcome handedOut = key.handOut(call, now);
            if (handedOut != null) {
                return PlainUni.item(handedOut);
            }
            outdated = key.isOutdated(now);
            tracked = key.tracked(call, now);
            underWay = key.exchange();
            ahead = underWay == null && !stopped ? key.ahead(only.policy(), only.charge().ofLimits.get(0).cost(), now) : 0;
            begun = ahead > 0 ? key.begin(deadline, now) : null;
        }
        if (outdated) {
            unused.refund(key);
        }
        if (begun != null) {
            Call prefetching = new Call(ids.getAsLong(), only.charge().prefetching(ahead), only.key());
            return outcome(call, exchange(prefetching, key, begun, deadline, now));
        }
        return underWay != null && underWay.isInTime(deadline) ? afterExchange(underWay, call, tracked, key, deadline)
                : outcome(call, byRedis(tracked, key, deadline));
    }

    /** Decides in Redis. If it denies while this instance holds permits, it decides again after these are refunded. */
    private Uni<StoreReply> byRedis(Call call, PrefetchedKey key, Deadline deadline) {
        PolicyPart only = call.parts().get(0);
        Uni<StoreReply> reply = redis.decide(call.request(), deadline);
        if (only.policy().countsDenials()) {
            // a denial counts towards a penalty, so there must be no other reason for it
            return key.isHolding() ? unused.refunded(key, deadline).chain(() -> reply) : reply;
        }
        return PlainUni.chain(reply, first -> only.allowedBy(first) || !key.isHolding() ? PlainUni.item(first)
                : unused.refunded(key, deadline).chain(() -> reply).onFailure().recoverWithItem(first));
    }

    private Uni<Outcome> afterExchange(Exchange underWay, Call call, Call tracked, PrefetchedKey key,
            Deadline deadline) {
        return PlainUni.chain(underWay.end(), ended -> {
            Outcome ahead;
            synchronized (key) {
                ahead = key.handOut(call, clock.getAsLong());
            }
            return ahead != null ? PlainUni.item(ahead) : outcome(call, byRedis(tracked, key, deadline));
        });
    }

    /** Acquires the permits of a call and some ahead. The exchange ends whatever happens, as other calls wait for it. */
    private Uni<StoreReply> exchange(Call call, PrefetchedKey key, Exchange exchange, Deadline deadline, long sent) {
        Uni<StoreReply> replied = PlainUni.invoke(redis.decide(call.request(), deadline), (reply, failure) -> {
            PrefetchLot acquired = null;
            try {
                acquired = reply == null ? null : PrefetchLot.of(call, reply, sent);
            } finally {
                end(key, exchange, acquired);
            }
            if (failure instanceof RedisStoreException unavailable) {
                unavailable.onLateReply(late -> unused.refund(PrefetchLot.of(call, late, sent)));
            }
        });
        // other calls wait for the reply, so it must arrive also when this call is canceled
        Uni<StoreReply> own = PlainUni.map(replied,
                reply -> PrefetchLot.next(reply, 0, call.parts().get(0).charge().requested.least()));
        return PlainUni.emitter(emitter -> PlainUni.subscribe(own, emitter::complete, emitter::fail));
    }

    private void end(PrefetchedKey key, Exchange exchange, PrefetchLot acquired) {
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
