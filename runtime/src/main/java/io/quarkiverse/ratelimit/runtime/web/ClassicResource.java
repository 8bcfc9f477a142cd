package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.UnaryOperator;

import jakarta.inject.Singleton;
import jakarta.ws.rs.core.UriInfo;

import org.jboss.resteasy.core.ResteasyContext;

import io.quarkus.arc.ClientProxy;

/** Finds the path parameters and the work of the current resource method of RESTEasy Classic. */
@Singleton
public class ClassicResource implements Work.Current {

    private final ClassicWork work;

    ClassicResource(ClassicWork work) {
        this.work = work;
    }

    @Override
    public UnaryOperator<String> pathParameters() {
        UriInfo uri = ResteasyContext.getContextData(UriInfo.class);
        return uri == null ? null : name -> uri.getPathParameters().getFirst(name);
    }

    /** Without the proxy of its scope, because the work is needed when the scope has ended. */
    @Override
    public Work get() {
        return ResteasyContext.getContextData(UriInfo.class) == null ? Work.UNKNOWN : ClientProxy.unwrap(work);
    }
}
