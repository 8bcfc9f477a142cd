package io.quarkiverse.ratelimit.runtime.engine;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.redis.RedisResult;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.PlainUni;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;

/** Notifies observers how long requests to Redis take. */
final class TimedStore implements LimitStore {

    private final LimitStore redis;
    private final List<RedisObserver> observers;

    private TimedStore(LimitStore redis, List<RedisObserver> observers) {
        this.redis = redis;
        this.observers = observers;
    }

    static LimitStore of(LimitStore redis, List<RedisObserver> observers) {
        return observers.isEmpty() ? redis : new TimedStore(redis, observers);
    }

    @Override
    public Uni<long[]> decide(StoreRequest question) {
        return observed(redis.decide(question));
    }

    @Override
    public Uni<long[]> decide(StoreRequest question, long began) {
        return observed(redis.decide(question, began));
    }

    private Uni<long[]> observed(Uni<long[]> answer) {
        return PlainUni.deferred(() -> {
            long asked = System.nanoTime();
            return PlainUni.invoke(answer, (reply, failure) -> {
                long nanos = System.nanoTime() - asked;
                for (RedisObserver observer : observers) {
                    observer.asked(RedisResult.of(failure), nanos);
                }
            });
        });
    }

    @Override
    public boolean decidesTogether() {
        return redis.decidesTogether();
    }
}
