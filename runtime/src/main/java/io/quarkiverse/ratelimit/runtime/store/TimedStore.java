package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException.RedisResult;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/** Notifies observers how long requests to Redis take. */
public record TimedStore(LimitStore redis, List<RedisObserver> observers, FailureLog failures) implements LimitStore {

    /**
     * Observes how long requests to Redis take. Methods may run on any thread and must not block. The limiter notifies
     * every bean of this type.
     */
    @FunctionalInterface
    public interface RedisObserver {

        /** @param nanos the time until the reply or the failure */
        void replied(RedisResult result, long nanos);
    }

    public static LimitStore of(LimitStore redis, List<RedisObserver> observers) {
        return observers.isEmpty() ? redis : new TimedStore(redis, observers, new FailureLog("requests to Redis"));
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request) {
        return observed(redis.decide(request));
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
        return observed(redis.decide(request, deadline));
    }

    private Uni<StoreReply> observed(Uni<StoreReply> replies) {
        return PlainUni.deferred(() -> {
            long sent = System.nanoTime();
            return PlainUni.invokeItemOrFailure(replies, (reply, failure) -> {
                long nanos = System.nanoTime() - sent;
                failures.notify(observers, observer -> observer.replied(RedisResult.of(failure), nanos));
            });
        });
    }

    @Override
    public boolean isSharded() {
        return redis.isSharded();
    }
}
