package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.denial.Denial;
import io.vertx.ext.web.RoutingContext;

/**
 * Turns denials that fail a request into responses where no REST server maps exceptions, such as in reactive routes. A
 * failure handler of the application takes precedence. The first failure creates it, as the router exists before the
 * configuration can be read.
 */
@ApplicationScoped
public class RouteFailures {

    private final ThrownDenials denials;

    RouteFailures(ThrownDenials denials) {
        this.denials = denials;
    }

    public void respond(RoutingContext routing) {
        RateLimitException denial = Denial.in(routing.failure());
        if (denial == null || routing.response().headWritten()) {
            routing.next();
        } else {
            RouteDenial.send(denials.response(denial, routing, Work.UNKNOWN), routing);
        }
    }
}
