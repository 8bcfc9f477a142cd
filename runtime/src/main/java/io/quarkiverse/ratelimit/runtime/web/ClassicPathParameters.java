package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.UnaryOperator;

import jakarta.inject.Singleton;
import jakarta.ws.rs.core.UriInfo;

import org.jboss.resteasy.core.ResteasyContext;

/** Knows the resource method of RESTEasy Classic that runs at the moment. */
@Singleton
public class ClassicPathParameters implements PathParameters {

    @Override
    public UnaryOperator<String> ofCurrentMethod() {
        UriInfo uri = ResteasyContext.getContextData(UriInfo.class);
        return uri == null ? null : name -> uri.getPathParameters().getFirst(name);
    }
}
