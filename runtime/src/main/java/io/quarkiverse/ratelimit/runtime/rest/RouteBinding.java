package io.quarkiverse.ratelimit.runtime.rest;

import java.util.List;

import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;

import io.quarkiverse.ratelimit.runtime.web.RouteFilter;
import io.vertx.ext.web.RoutingContext;

/** Connects each resource method to the decision of a route for the same request. */
public final class RouteBinding implements HandlerChainCustomizer {

    @Override
    public List<ServerRestHandler> handlers(Phase phase, ResourceClass resourceClass, ServerResourceMethod method) {
        return phase != Phase.AFTER_MATCH ? List.of()
                : List.of(request -> RouteFilter.servedBy(() -> new RunningRequest(request),
                        request.unwrap(RoutingContext.class)));
    }
}
