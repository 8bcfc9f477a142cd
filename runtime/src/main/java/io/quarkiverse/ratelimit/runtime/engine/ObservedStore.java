package io.quarkiverse.ratelimit.runtime.engine;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.redis.RedisResult;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.quarkiverse.ratelimit.runtime.store.Undecorated;
import io.smallrye.mutiny.Uni;

/** Tells observers how long Redis takes. */
final class ObservedStore implements LimitStore {

    private final LimitStore redis;
    private final List<RedisObserver> observers;

    private ObservedStore(LimitStore redis, List<RedisObserver> observers) {
        this.redis = redis;
        this.observers = observers;
    }

    static LimitStore of(LimitStore redis, List<RedisObserver> observers) {
        return observers.isEmpty() ? redis : new ObservedStore(redis, observers);
    }

    @Override
    public Uni<long[]> decide(Question question) {
        return observed(redis.decide(question));
    }

    @Override
    public Uni<long[]> decide(Question question, long began) {
        return observed(redis.decide(question, began));
    }

    private Uni<long[]> observed(Uni<long[]> answer) {
        return Undecorated.deferred(() -> {
            long asked = System.nanoTime();
            return Undecorated.invoke(answer, (reply, failure) -> {
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
