package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.CallStore;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchedKey.PrefetchLot;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.Uni;

/**
 * Acquires permits ahead for keys that are often used, in the request of a call, and hands them out without a request to
 * Redis. Refunds what is not used in time. A call is denied by Redis only, after this instance has refunded what it holds.
 */
public final class PrefetchedPermits implements CallStore {

    /** Bounds the memory. Redis alone decides further keys. */
    private static final int MAX_KEYS = 1 << 14;
    private static final long SWEEP = TimeUnit.SECONDS.toNanos(1);

    private final LimitStore redis;
    private final Refunds refunds;
    private final LongSupplier ids;
    private final Timers timers;
    private final LongSupplier clock;
    private final Map<LimitKey, PrefetchedKey> keys = new ConcurrentHashMap<>();
    private volatile long swept;
    private volatile boolean stopped;

    /** @param clock nanoseconds */
    public PrefetchedPermits(LimitStore redis, Refunds refunds, LongSupplier ids, Timers timers, LongSupplier clock) {
        this.redis = redis;
        this.ids = ids;
        this.refunds = refunds;
        this.timers = timers;
        this.clock = clock;
        this.swept = clock.getAsLong();
    }

    private static boolean mayHandOut(Call call) {
        KeyedCharge first = call.charges().get(0);
        return call.charges().size() == 1 && !first.policy().prefetch().isOff()
                && first.charge().requested.kind() == OperationKind.ACQUIRE && first.policy().supportsPrefetch();
    }

    @Override
    public Uni<Outcome> decide(Call call, Deadline deadline) {
        if (!mayHandOut(call)) {
            return outcome(call, afterRefunds(call, redis.decide(call.request(), deadline), deadline));
        }
        return PlainUni.deferred(() -> {
            KeyedCharge only = call.charges().get(0);
            long now = clock.getAsLong();
            PrefetchedKey key = claimed(only, now);
            return key == null ? outcome(call, redis.decide(call.request(), deadline)) : decide(call, key, deadline, now);
        });
    }

    /** The state of the key here; {@code null} while there are too many keys. */
    private PrefetchedKey claimed(KeyedCharge keyed, long now) {
        LimitKey name = name(keyed);
        PrefetchedKey known = keys.get(name);
        if (known == null && keys.size() >= MAX_KEYS && now - swept >= SWEEP) {
            swept = now;
            keys.values().removeIf(key -> key.isIdle(now));
        }
        return known != null || keys.size() >= MAX_KEYS ? known
                : keys.computeIfAbsent(name, ignored -> new PrefetchedKey(keyed.policy(), now));
    }

    private static LimitKey name(KeyedCharge keyed) {
        return new LimitKey(keyed.policy().name(), "", keyed.key());
    }

    /** The reply, requested when this instance holds no permits of the call's keys. */
    private Uni<StoreReply> afterRefunds(Call call, Uni<StoreReply> reply, Deadline deadline) {
        Uni<StoreReply> requested = reply;
        for (KeyedCharge keyed : call.charges()) {
            PrefetchedKey key = keyed.policy().prefetch().isOff() ? null : keys.get(name(keyed));
            if (key != null && key.isHolding()) {
                Uni<StoreReply> next = requested;
                requested = refunded(key, deadline).chain(() -> next);
            }
        }
        return requested;
    }

    private static Uni<Outcome> outcome(Call call, Uni<StoreReply> reply) {
        return PlainUni.map(reply, decided -> Outcome.of(call, decided, Source.REDIS));
    }

    private Uni<Outcome> decide(Call call, PrefetchedKey key, Deadline deadline, long now) {
        KeyedCharge only = call.charges().get(0);
        long cost = only.charge().limitRequests.get(0).cost();
        boolean outdated;
        synchronized (key) {
            key.called(cost, now);
            Outcome handedOut = key.handOut(call, now);
            if (handedOut != null) {
                return PlainUni.item(handedOut);
            }
            if (key.letsWait(deadline)) {
                return PlainUni.chain(key.endOfExchange(), ended -> {
                    Outcome shared = key.handOut(call, clock.getAsLong());
                    return shared != null ? PlainUni.item(shared) : outcome(call, byRedis(call, key, deadline));
                });
            }
            long ahead = stopped ? 0 : key.ahead(only.policy(), cost, now);
            if (ahead > 0) {
                Call prefetching = new Call(ids.getAsLong(), only.charge().prefetching(ahead), only.key());
                key.begin(deadline, now);
                return outcome(call, exchange(prefetching, key, deadline, now));
            }
            outdated = key.isOutdated(only.policy(), now);
        }
        if (outdated) {
            refund(key);
        }
        return outcome(call, byRedis(call, key, deadline));
    }

    /** Decides in Redis. If it denies while this instance holds permits, it decides again after these are refunded. */
    private Uni<StoreReply> byRedis(Call call, PrefetchedKey key, Deadline deadline) {
        KeyedCharge only = call.charges().get(0);
        Uni<StoreReply> reply = redis.decide(key.tracked(call, clock.getAsLong()).request(), deadline);
        if (only.policy().countsDenials()) {
            // a denial counts towards a penalty, so there must be no other reason for it
            return key.isHolding() ? refunded(key, deadline).chain(() -> reply) : reply;
        }
        return PlainUni.chain(reply, first -> only.allowedBy(first) || !key.isHolding() ? PlainUni.item(first)
                : refunded(key, deadline).chain(() -> reply).onFailure().recoverWithItem(first));
    }

    /** Acquires the permits of a call and some ahead. The exchange ends whatever happens, as other calls wait for it. */
    private Uni<StoreReply> exchange(Call call, PrefetchedKey key, Deadline deadline, long sent) {
        Uni<PrefetchLot> acquired = PlainUni.map(redis.decide(call.request(), deadline),
                reply -> new PrefetchLot(call, reply, sent));
        Uni<PrefetchLot> kept = PlainUni.invokeItemOrFailure(acquired, (lot, failure) -> {
            if (key.end(lot, sent)) {
                watch(key);
            }
            if (failure instanceof RedisStoreException unavailable) {
                unavailable.onLateReply(late -> new PrefetchLot(call, late, sent).refund(refunds, () -> {
                }).subscribeAsCompletionStage());
            }
        });
        // other calls wait for the reply, so it must arrive also when this call is canceled
        Uni<StoreReply> own = PlainUni.map(kept, lot -> lot.replyAfter(0, call.charges().get(0).charge().requested.least()));
        return PlainUni.emitter(emitter -> PlainUni.subscribe(own, emitter::complete, emitter::fail));
    }

    /** Refunds what is left when its time is over. */
    private void watch(PrefetchedKey key) {
        long left = key.watchFor(clock.getAsLong());
        if (left > 0) {
            timers.after(Duration.ofNanos(left)).subscribe().with(over -> watch(key));
        } else {
            refund(key);
        }
    }

    /** Refunds what this instance holds of the key now. */
    private void refund(PrefetchedKey key) {
        key.refund(refunds).subscribeAsCompletionStage();
    }

    /** Completes when this instance holds no permits of the key, or the time is over. */
    private Uni<Void> refunded(PrefetchedKey key, Deadline deadline) {
        return timers.within(Duration.ofNanos(deadline.due() - System.nanoTime()), refunded(key)).onFailure()
                .recoverWithNull();
    }

    /** Refunds what this instance holds of the key, after an exchange that is under way. */
    private Uni<Void> refunded(PrefetchedKey key) {
        return Uni.createFrom().deferred(key::endOfExchange).chain(() -> key.refund(refunds));
    }

    /** Refunds what this instance holds for a key whose state has changed. */
    public void refund(String policy, String key) {
        PrefetchedKey removed = keys.remove(new LimitKey(policy, "", key));
        if (removed != null) {
            refunded(removed).subscribeAsCompletionStage();
        }
    }

    /** Hands out nothing any more of what was acquired, after all keys were removed from Redis. */
    public void drop() {
        keys.clear();
    }

    /** Acquires nothing ahead any more, and refunds everything. */
    public Uni<Void> stop() {
        stopped = true;
        return Uni.join().all(keys.values().stream().map(this::refunded).toList()).andCollectFailures().replaceWithVoid();
    }
}
