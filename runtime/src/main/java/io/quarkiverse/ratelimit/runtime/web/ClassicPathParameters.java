package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.UnaryOperator;

import jakarta.inject.Singleton;
import jakarta.ws.rs.core.UriInfo;

import org.jboss.resteasy.core.ResteasyContext;

/** Finds the path parameters of the current resource method of RESTEasy Classic. */
@Singleton
public class ClassicPathParameters implements PathParameters {

    @Override
    public UnaryOperator<String> ofCurrentMethod() {
        UriInfo uri = ResteasyContext.getContextData(UriInfo.class);
        return uri == null ? null : name -> uri.getPathParameters().getFirst(name);
    }
}
