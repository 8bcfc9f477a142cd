package io.quarkiverse.ratelimit.runtime.platform.mutiny;

import java.util.concurrent.Executor;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractMulti;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Subscribes within a scope, such as the value of a thread local. */
public final class Scoped {

    private Scoped() {
    }

    /** @param scope runs the subscription at once, on its thread */
    public static <T> Uni<T> uni(Uni<T> work, Executor scope) {
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super T> subscriber) {
                scope.execute(() -> AbstractUni.subscribe(work, subscriber));
            }
        };
    }

    /** @param scope runs the subscription at once, on its thread */
    public static <T> Multi<T> multi(Multi<T> work, Executor scope) {
        return new AbstractMulti<>() {
            @Override
            public void subscribe(MultiSubscriber<? super T> subscriber) {
                scope.execute(() -> work.subscribe(subscriber));
            }
        };
    }
}
