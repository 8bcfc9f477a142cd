package io.quarkiverse.ratelimit.runtime.vertx;

import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerRequestInternal;
import io.vertx.core.net.impl.ConnectionBase;

/** Gives access to the context and the connection of a request that the server of Vert.x serves. */
public final class ServedRequest {

    private ServedRequest() {
    }

    /** The context on which the response is written. */
    public static Context contextOf(HttpServerRequest request) {
        return ((HttpServerRequestInternal) request).context();
    }

    /**
     * Runs the task when the connection of the client closes. Vert.x itself has only one close handler for a connection,
     * which may belong to the application.
     *
     * @return no longer waits for that; does nothing if there is no such connection
     */
    public static Runnable onConnectionClosed(HttpServerRequest request, Runnable task) {
        if (!(request.connection() instanceof ConnectionBase connection)) {
            return () -> {
            };
        }
        Future<Void> closed = connection.channel().closeFuture();
        GenericFutureListener<Future<Void>> listener = ignored -> task.run();
        closed.addListener(listener);
        return () -> closed.removeListener(listener);
    }
}
