package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.runtime.vertx.ContextSwitch;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.EmptyUniSubscription;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.operators.uni.UniOperatorProcessor;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;

/**
 * Sends a request for each subscription. The result arrives where {@link CallerContext#keepOnEventLoop} emits it. This
 * is one operator in place of several of Mutiny's, as each of them costs time.
 *
 * @param <A> the reply to the request
 * @param <T> the result for the caller
 */
public abstract class CallersQuestion<A, T> extends AbstractUni<T> {

    protected abstract Uni<? extends A> ask();

    protected abstract T told(A answer);

    @Override
    public void subscribe(UniSubscriber<? super T> caller) {
        Uni<? extends A> answer;
        try {
            answer = ask();
        } catch (Throwable e) {
            EmptyUniSubscription.propagateFailureEvent(caller, e);
            return;
        }
        AbstractUni.subscribe(answer, new PlaygroundReply(caller, Vertx.currentContext()));
    }

    private final class PlaygroundReply extends UniOperatorProcessor<A, T> implements Handler<Void> {

        private final Context asking;
        private A answer;
        private Throwable failure;

        /** @param asking the context of the subscriber, {@code null} for none */
        PlaygroundReply(UniSubscriber<? super T> caller, Context asking) {
            super(caller);
            this.asking = asking;
        }

        @Override
        public void onItem(A answer) {
            this.answer = answer;
            comeBack();
        }

        @Override
        public void onFailure(Throwable failure) {
            this.failure = failure;
            comeBack();
        }

        private void comeBack() {
            if (asking != null && asking.isEventLoopContext()) {
                ContextSwitch.to(asking, null, this);
            } else {
                handle(null);
            }
        }

        @Override
        public void handle(Void back) {
            if (isCancelled()) {
                return;
            }
            if (failure != null) {
                downstream.onFailure(failure);
                return;
            }
            T item;
            try {
                item = told(answer);
            } catch (Throwable e) {
                downstream.onFailure(e);
                return;
            }
            downstream.onItem(item);
        }
    }
}
