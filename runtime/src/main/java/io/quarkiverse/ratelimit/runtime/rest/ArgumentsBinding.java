package io.quarkiverse.ratelimit.runtime.rest;

import java.util.List;

import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;

import io.quarkus.arc.Arc;

/**
 * Decides calls of a resource method when its arguments are known and nothing of the response is written. Later would
 * be too late for a stream, whose headers are written before anybody subscribes to the method's result.
 */
public final class ArgumentsBinding implements HandlerChainCustomizer {

    @Override
    public List<ServerRestHandler> handlers(Phase phase, ResourceClass resourceClass, ServerResourceMethod method) {
        if (phase != Phase.BEFORE_METHOD_INVOKE) {
            return List.of();
        }
        RateLimitFilter filter = Arc.container().instance(RateLimitFilter.class).get();
        return List.of(request -> filter.decide(request, request.getParameters()));
    }
}
