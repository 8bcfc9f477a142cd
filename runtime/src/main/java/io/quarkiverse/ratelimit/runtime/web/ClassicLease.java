package io.quarkiverse.ratelimit.runtime.web;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.RequestScoped;

import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.quarkiverse.ratelimit.runtime.vertx.ServedRequest;
import io.vertx.core.Context;
import io.vertx.ext.web.RoutingContext;

/**
 * Releases the permits of a request to RESTEasy Classic when its work ends. The work ends with the request scope, also
 * when the client has left. The scope ends before the response does, but after the response to an exception that
 * nothing maps.
 */
@RequestScoped
public class ClassicLease {

    private Lease lease = Lease.NONE;
    private Context context;

    void keep(Lease acquired, RoutingContext routing) {
        lease = acquired.confirm();
        context = ServedRequest.contextOf(routing.request());
        ResponseLease.releaseBefore(routing, this::release);
    }

    @PreDestroy
    void end() {
        if (lease != Lease.NONE) {
            release();
        }
    }

    /**
     * Releases on the context that writes the response, whichever thread ends the work. So the release is sent before
     * the client can send its next request.
     */
    private void release() {
        context.runOnContext(ignored -> lease.release());
    }
}
