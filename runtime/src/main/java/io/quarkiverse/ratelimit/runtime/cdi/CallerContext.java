package io.quarkiverse.ratelimit.runtime.cdi;

import java.util.concurrent.Executor;

import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.impl.ContextInternal;

/**
 * Brings an answer back to where it was asked for: to the same event loop, or to a worker thread, so that what follows
 * may block if the caller may; in both cases with the caller's Vert.x context.
 */
final class CallerContext {

    private CallerContext() {
    }

    static <T> Uni<T> keep(Uni<T> answer) {
        return Uni.createFrom().deferred(() -> answer.emitOn(current()));
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
