package io.quarkiverse.ratelimit.runtime.web;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;

/**
 * Binds the filter to the resource method it is given to, without adding a handler; where arguments count that is
 * {@link ArgumentsBinding}.
 *
 * <p>
 * Quarkus REST reads name bindings from the method that carries {@code @GET} and the like, which may be an interface's
 * while the limit is declared on the class that implements it. So the build finds the guarded methods, and this adds
 * the binding in the one phase that lies before the method's filters are chosen.
 */
public final class GuardBinding implements HandlerChainCustomizer {

    @Override
    public List<ServerRestHandler> handlers(Phase phase, ResourceClass resourceClass, ServerResourceMethod method) {
        if (phase == Phase.AFTER_MATCH) {
            Set<String> bindings = new HashSet<>(method.getNameBindingNames());
            bindings.add(Guarded.class.getName());
            method.setNameBindingNames(bindings);
        }
        return List.of();
    }
}
