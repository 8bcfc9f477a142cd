package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.quarkiverse.ratelimit.runtime.vertx.ServedRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Releases the permits of a request when its response has ended. When a client leaves before the response begins, the
 * end of the work is unknown. The permits are then released when a response is still written, or after a third of the
 * lease time.
 */
public final class ResponseLease {

    /** A request has a lease under this key if it held permits before its method was chosen. */
    public static final String KEY = ResponseLease.class.getName();

    private ResponseLease() {
    }

    /** Releases the lease when the response ends, whatever serves the request. */
    static void releaseAtEnd(Lease lease, RoutingContext routing) {
        if (lease != Lease.NONE) {
            routing.put(KEY, lease);
            routing.addBodyEndHandler(ended -> lease.release());
            HttpServerResponse response = routing.response();
            releaseWithClient(lease, routing, response::headWritten, () -> true);
        }
    }

    /**
     * Calls {@code release} before a response that is complete is written. A chunked response is written while the work
     * continues.
     */
    public static void releaseBefore(RoutingContext routing, Runnable release) {
        routing.addHeadersEndHandler(ignored -> {
            if (!routing.response().isChunked()) {
                release.run();
            }
        });
    }

    /**
     * @param ends whether the work ends when its client leaves; called when the client leaves
     * @param endsLater whether the work of a client that has left ends; called before each renewal of the lease
     */
    public static void releaseWithClient(Lease lease, RoutingContext routing, BooleanSupplier ends, BooleanSupplier endsLater) {
        HttpServerResponse response = routing.response();
        Runnable gone = () -> {
            if (ends.getAsBoolean()) {
                lease.release();
            }
        };
        routing.addEndHandler(ended -> gone.run());
        // a WebSocket connection goes on after the response to its handshake
        boolean handshake = ResponseHeaders.isHandshake(routing);
        // no handler is called when a response is reset, as its stream failed or its connection broke
        lease.confirm(() -> endsLater.getAsBoolean() && (response.ended() && !handshake || response.closed()));
        Runnable stopListening = ServedRequest.onConnectionClosed(routing.request(), gone);
        routing.addEndHandler(ended -> stopListening.run());
    }
}
