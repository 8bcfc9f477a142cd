package io.quarkiverse.ratelimit.runtime.vertx;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.impl.ContextInternal;

/** Switches to a context, unlike {@link Context#runOnContext} at once if the current thread already belongs to it. */
public final class ContextSwitch {

    private ContextSwitch() {
    }

    /** Calls the handler with the value on the event loop or worker thread of the context. */
    public static <T> void to(Context context, T value, Handler<T> handler) {
        ((ContextInternal) context).emit(value, handler);
    }
}
