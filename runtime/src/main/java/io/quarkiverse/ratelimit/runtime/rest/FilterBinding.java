package io.quarkiverse.ratelimit.runtime.rest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import jakarta.ws.rs.NameBinding;

import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;

import io.quarkus.arc.Arc;

/**
 * Binds the filter to a limited resource method, without adding a handler. Where the key or the cost uses arguments,
 * {@link OfArguments} is used instead.
 *
 * <p>
 * Quarkus REST reads name bindings from the method that carries {@code @GET} and the like. This may be a method of an
 * interface, while the limit is declared on the class that implements it. So the build finds the limited methods, and
 * this class adds the binding in the only phase before the method's filters are chosen.
 */
public final class FilterBinding implements HandlerChainCustomizer {

    /** Binds {@link RateLimitFilter} to the resource methods that have it. */
    @NameBinding
    @Target({ ElementType.METHOD, ElementType.TYPE })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface FilterLimited {
    }

    @Override
    public List<ServerRestHandler> handlers(Phase phase, ResourceClass resourceClass, ServerResourceMethod method) {
        if (phase == Phase.AFTER_MATCH) {
            Set<String> bindings = new HashSet<>(method.getNameBindingNames());
            bindings.add(FilterLimited.class.getName());
            method.setNameBindingNames(bindings);
        }
        return List.of();
    }

    /**
     * Decides calls of a resource method when its arguments are known and nothing of the response is written. Later would
     * be too late for a stream, whose headers are written before anybody subscribes to the method's result.
     */
    public static final class OfArguments implements HandlerChainCustomizer {

        @Override
        public List<ServerRestHandler> handlers(Phase phase, ResourceClass resourceClass, ServerResourceMethod method) {
            if (phase != Phase.BEFORE_METHOD_INVOKE) {
                return List.of();
            }
            RateLimitFilter filter = Arc.container().instance(RateLimitFilter.class).get();
            return List.of(request -> filter.decide(request, request.getParameters()));
        }
    }
}
