package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.BooleanSupplier;

import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;

/**
 * Gives back what a request holds when its response has ended. A client that leaves before it has begun ends no work that
 * anybody knew of: then it comes back when a response is made all the same, or a third of the lease time later.
 */
final class ResponseLease {

    private static final String KEY = ResponseLease.class.getName();

    private ResponseLease() {
    }

    /** What the request holds already, before its method was chosen. */
    static Lease of(RoutingContext routing) {
        Lease lease = routing.get(KEY);
        return lease == null ? Lease.NONE : lease;
    }

    /** Whatever serves the request. */
    static void hold(Lease lease, RoutingContext routing) {
        if (lease != Lease.NONE) {
            routing.put(KEY, lease);
            routing.addBodyEndHandler(ended -> lease.release());
            HttpServerResponse response = routing.response();
            releaseWithClient(lease, routing, response::headWritten, () -> true);
        }
    }

    /**
     * @param ends whether the work ends when its client is gone, asked at that moment
     * @param endsLater the same, asked before the lease is to be renewed
     */
    static void releaseWithClient(Lease lease, RoutingContext routing, BooleanSupplier ends, BooleanSupplier endsLater) {
        HttpServerResponse response = routing.response();
        Runnable gone = () -> {
            if (ends.getAsBoolean()) {
                lease.release();
            }
        };
        routing.addEndHandler(ended -> gone.run());
        // nobody tells of a response that is reset, as its stream failed or its client's connection broke
        lease.hold(() -> endsLater.getAsBoolean() && (response.ended() || response.closed()));
        if (routing.request().connection() instanceof ConnectionBase connection) {
            Future<Void> closed = connection.channel().closeFuture();
            GenericFutureListener<Future<Void>> listener = ignored -> gone.run();
            closed.addListener(listener);
            routing.addEndHandler(ended -> closed.removeListener(listener));
        }
    }
}
