package io.quarkiverse.ratelimit.runtime.engine;

import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.impl.ContextInternal;

/** Brings an answer back to where it was asked for, with the caller's Vert.x context. */
public final class CallerContext {

    private CallerContext() {
    }

    /** To the same event loop, or to a worker thread: what follows may block if the caller may. */
    public static <T> Uni<T> keep(Uni<T> answer) {
        return Uni.createFrom().deferred(() -> answer.emitOn(current()));
    }

    /**
     * To the event loop of the caller's context, as Vert.x clients answer; a caller that waits on a worker thread needs no
     * other one. Where there is no such context the answer arrives anywhere.
     *
     * @param question is asked anew by each subscription, with the contexts of who asks
     */
    public static <T> Uni<T> keepOnEventLoop(Supplier<Uni<? extends T>> question) {
        Supplier<Uni<? extends T>> asking = Infrastructure.decorate(question);
        return new CallersQuestion<T, T>() {

            @Override
            protected Uni<? extends T> ask() {
                return asking.get();
            }

            @Override
            protected T told(T answer) {
                return answer;
            }
        };
    }

    private static Executor current() {
        ContextInternal caller = ContextInternal.current();
        if (caller == null) {
            return Infrastructure.getDefaultExecutor();
        }
        if (BlockingOperationControl.isBlockingAllowed()) {
            return task -> caller.executeBlocking(() -> {
                task.run();
                return null;
            }, false);
        }
        return task -> caller.emit(null, ignored -> task.run());
    }
}
