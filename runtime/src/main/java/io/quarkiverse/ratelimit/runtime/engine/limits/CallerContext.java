package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Returns results on the Vert.x context of the caller. */
public final class CallerContext {

    private CallerContext() {
    }

    /** Emits the result on the caller's event loop, or on a worker thread if the caller may block. */
    public static <T> Uni<T> onCallerThread(Uni<T> result) {
        return Uni.createFrom().deferred(() -> result.emitOn(current()));
    }

    /**
     * Emits the result on the event loop of the caller's context, as Vert.x clients do. A caller that waits on a worker
     * thread needs no switch. Without such a context, the result arrives on any thread.
     *
     * @param request called for each subscription, with the contexts of the caller of this method
     */
    public static <T> Uni<T> keepOnEventLoop(Supplier<Uni<? extends T>> request) {
        return switchingToEventLoop(Infrastructure.decorate(request));
    }

    /** Emits the result like {@link #keepOnEventLoop}, but with the contexts of the subscriber, which costs less. */
    public static <T> Uni<T> switchingToEventLoop(Supplier<Uni<? extends T>> request) {
        return PlainUni.deferred(() -> {
            Context caller = Vertx.currentContext();
            Uni<? extends T> result = request.get();
            return caller == null || !caller.isEventLoopContext() ? result
                    : PlainUni.emitOn(result, task -> EventLoop.switchTo(caller, null, ignored -> task.run()));
        });
    }

    private static Executor current() {
        Context caller = Vertx.currentContext();
        if (caller == null) {
            return Infrastructure.getDefaultExecutor();
        }
        if (BlockingOperationControl.isBlockingAllowed()) {
            return task -> caller.executeBlocking(() -> {
                task.run();
                return null;
            }, false);
        }
        return task -> EventLoop.switchTo(caller, null, ignored -> task.run());
    }
}
