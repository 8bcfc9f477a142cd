package io.quarkiverse.ratelimit.runtime.web;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.RequestScoped;

import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.vertx.core.Context;
import io.vertx.core.http.impl.HttpServerRequestInternal;
import io.vertx.ext.web.RoutingContext;

/**
 * Gives back what a request to RESTEasy Classic holds when its work ends, which is when its scope does, also where the
 * client has left. That comes before an answer is ended, but after one to an exception that nobody maps.
 */
@RequestScoped
public class ClassicRequest {

    private Lease lease = Lease.NONE;
    private Context context;

    void hold(Lease held, RoutingContext routing) {
        lease = held.hold();
        context = ((HttpServerRequestInternal) routing.request()).context();
        routing.addHeadersEndHandler(ignored -> {
            // a chunked answer is written while the work goes on
            if (!routing.response().isChunked()) {
                release();
            }
        });
    }

    @PreDestroy
    void end() {
        if (lease != Lease.NONE) {
            release();
        }
    }

    /** Where the answer is written, whoever ends the work: so it is under way before the client can ask again. */
    private void release() {
        context.runOnContext(ignored -> lease.release());
    }
}
