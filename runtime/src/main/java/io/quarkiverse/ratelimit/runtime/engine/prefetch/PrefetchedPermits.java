package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decider;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchedKey.PrefetchLot;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.smallrye.mutiny.Uni;

/**
 * Acquires permits ahead for keys that are often used, in the background, and hands them out without a request to Redis.
 * Refunds what is not used in time. A call is denied by Redis only, after this instance has refunded what it holds.
 */
public final class PrefetchedPermits implements Decider {

    /** Bounds the memory. Redis alone decides further keys. */
    private static final int MAX_KEYS = 1 << 14;
    private static final long SWEEP = TimeUnit.SECONDS.toNanos(1);

    private final LimitStore redis;
    private final Refunds refunds;
    private final LongSupplier ids;
    private final Timers timers;
    private final LongSupplier clock;
    private final FailureLog mistakes;
    private final Duration timeout;
    private final Map<LimitKey, PrefetchedKey> keys = new ConcurrentHashMap<>();
    private volatile long swept;
    private volatile boolean stopped;

    /**
     * @param clock nanoseconds
     * @param timeout of requests that acquire ahead
     */
    public PrefetchedPermits(LimitStore redis, Refunds refunds, LongSupplier ids, Timers timers, LongSupplier clock,
            FailureLog mistakes, Duration timeout) {
        this.mistakes = mistakes;
        this.timeout = timeout;
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
                && first.charge().requested().kind() == OperationKind.ACQUIRE && first.policy().supportsPrefetch();
    }

    @Override
    public Uni<Outcome> decide(Call call) {
        if (!mayHandOut(call)) {
            return outcome(call, afterRefunds(call, redis.decide(call.request(), call.deadline())));
        }
        return PlainUni.deferred(() -> {
            KeyedCharge only = call.charges().get(0);
            long now = clock.getAsLong();
            PrefetchedKey key = claimed(only, now);
            return key == null ? outcome(call, redis.decide(call.request(), call.deadline())) : decide(call, key, now);
        });
    }

    /** Returns the state of the key here; {@code null} while there are too many keys. */
    private PrefetchedKey claimed(KeyedCharge keyed, long now) {
        LimitKey name = keyed.name();
        PrefetchedKey known = keys.get(name);
        if (known == null && keys.size() >= MAX_KEYS && now - swept >= SWEEP) {
            swept = now;
            keys.values().removeIf(key -> key.isIdle(now));
        }
        return known != null || keys.size() >= MAX_KEYS ? known
                : keys.computeIfAbsent(name, ignored -> new PrefetchedKey(keyed.policy(), now));
    }

    /** Requests the reply after the permits that this instance holds for the call's keys are refunded. */
    private Uni<StoreReply> afterRefunds(Call call, Uni<StoreReply> reply) {
        Uni<StoreReply> requested = reply;
        for (KeyedCharge keyed : call.charges()) {
            PrefetchedKey key = keyed.policy().prefetch().isOff() ? null : keys.get(keyed.name());
            if (key != null && key.isHolding()) {
                Uni<StoreReply> next = requested;
                requested = refunded(key, call.deadline()).chain(() -> next);
            }
        }
        return requested;
    }

    private static Uni<Outcome> outcome(Call call, Uni<StoreReply> reply) {
        return PlainUni.map(reply, decided -> Outcome.of(call, decided, Source.REDIS, 0));
    }

    private Uni<Outcome> decide(Call call, PrefetchedKey key, long now) {
        KeyedCharge only = call.charges().get(0);
        long cost = only.charge().limitRequests().get(0).cost();
        Outcome handedOut;
        Uni<Void> exchange;
        synchronized (key) {
            key.called(cost, now);
            handedOut = key.handOut(call, cost, now);
            // under the same lock: an exchange that ends in between would be missed
            exchange = handedOut == null && key.letsWait(call.deadline()) ? key.endOfExchange() : null;
        }
        if (handedOut != null) {
            prefetch(call, key, now);
            return PlainUni.item(handedOut);
        }
        key.refundOutdated(refunds, only.policy(), now).subscribeAsCompletionStage();
        return exchange == null ? decideByRedis(call, key) : PlainUni.chain(exchange, ended -> {
            Outcome shared = key.handOut(call, cost, clock.getAsLong());
            return shared != null ? PlainUni.item(shared) : decideByRedis(call, key);
        });
    }

    private Uni<Outcome> decideByRedis(Call call, PrefetchedKey key) {
        return PlainUni.map(outcome(call, byRedis(call, key)), outcome -> {
            prefetch(call, key, clock.getAsLong());
            return outcome;
        });
    }

    /** Decides in Redis. If it denies while this instance holds permits, it decides again after these are refunded. */
    private Uni<StoreReply> byRedis(Call call, PrefetchedKey key) {
        KeyedCharge only = call.charges().get(0);
        Uni<StoreReply> reply = redis.decide(key.tracked(call, clock.getAsLong()).request(), call.deadline());
        if (only.policy().countsDenials()) {
            // a denial counts towards a penalty, so there must be no other reason for it
            return key.isHolding() ? refunded(key, call.deadline()).chain(() -> reply) : reply;
        }
        return PlainUni.chain(reply, first -> only.charge().allowedBy(first, 0) || !key.isHolding() ? PlainUni.item(first)
                : refunded(key, call.deadline()).chain(() -> reply).onFailure().recoverWithItem(first));
    }

    /** Acquires permits ahead in the background, if it is time to. */
    private void prefetch(Call last, PrefetchedKey key, long sent) {
        KeyedCharge only = last.charges().get(0);
        Policy policy = only.policy();
        long cost = only.charge().limitRequests().get(0).cost(), ahead;
        Deadline deadline;
        synchronized (key) {
            ahead = stopped ? 0 : key.ahead(policy, cost, sent);
            if (ahead == 0) {
                return;
            }
            deadline = Deadline.in(timeout);
            key.begin(deadline, sent);
        }
        // what is not acquired ahead is no denial
        Charge prefetching = new Charge(policy.withoutCountingDenials(), PermitRequest.prefetching(ahead, cost));
        Call call = new Call(ids.getAsLong(), prefetching, only.key(), deadline);
        PlainUni.map(redis.decide(call.request(), call.deadline()), reply -> new PrefetchLot(policy, call, reply, sent))
                .subscribe().with(acquired -> end(key, acquired, sent), failure -> {
                    end(key, null, sent);
                    mistakes.failedUnlessRedis(failure);
                    if (failure instanceof RedisStoreException unavailable) {
                        unavailable.onLateReply(late -> new PrefetchLot(policy, call, late, sent).refund(refunds, () -> {
                        }).subscribeAsCompletionStage());
                    }
                });
    }

    private void end(PrefetchedKey key, PrefetchLot acquired, long sent) {
        if (key.end(acquired, sent)) {
            watch(key);
        }
    }

    /** Refunds what is left when its time is over. */
    private void watch(PrefetchedKey key) {
        long now = clock.getAsLong();
        key.refundUnused(refunds, now).subscribeAsCompletionStage();
        long left = key.watchFor(now);
        if (left > 0) {
            timers.after(Duration.ofNanos(left)).subscribe().with(over -> watch(key));
        }
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

    /** Drops all prefetched permits, because their keys are gone from Redis. */
    public void drop() {
        keys.clear();
    }

    /** Acquires nothing ahead any more, and refunds everything. */
    public Uni<Void> stop() {
        stopped = true;
        return Uni.join().all(keys.values().stream().map(this::refunded).toList()).andCollectFailures().replaceWithVoid();
    }
}
