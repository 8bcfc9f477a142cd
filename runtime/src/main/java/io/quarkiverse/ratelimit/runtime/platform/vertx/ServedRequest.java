package io.quarkiverse.ratelimit.runtime.platform.vertx;

import java.util.List;

import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerRequestInternal;
import io.vertx.core.http.impl.HttpUtils;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.net.impl.URIDecoder;

/**
 * Gives access to a request that the server of Vert.x serves: its context and connection, and its path and cookies as Vert.x
 * reads them.
 */
public final class ServedRequest {

    private ServedRequest() {
    }

    /** Returns the context on which the response is written. */
    public static Context contextOf(HttpServerRequest request) {
        return ((HttpServerRequestInternal) request).context();
    }

    /** Returns what the context of the request has under this key; {@code null} for nothing. */
    public static <T> T local(HttpServerRequest request, Object key) {
        return ((ContextInternal) contextOf(request)).getLocal(key);
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

    /** Removes the dots from a path exactly as Vert.x does. */
    public static String pathWithoutDots(String path) {
        return HttpUtils.removeDots(path);
    }

    /**
     * Decodes a path exactly as Vert.x does.
     *
     * @throws IllegalArgumentException when an escape is malformed
     */
    public static String decodedPath(String path) {
        return URIDecoder.decodeURIComponent(path, false);
    }

    /** Returns the value of the first cookie with this name in {@code Cookie} headers; {@code null} if none has one. */
    public static String cookie(List<String> headers, String name) {
        for (String header : headers) {
            for (Cookie cookie : ServerCookieDecoder.STRICT.decodeAll(header)) {
                if (cookie.name().equals(name)) {
                    return cookie.value();
                }
            }
        }
        return null;
    }
}
