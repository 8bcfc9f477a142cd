package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;

/** Provides the path parameters of the current resource method of Quarkus REST. */
@Singleton
public class WebBeans {

    @Produces
    @Singleton
    PathParameters pathParameters() {
        return () -> {
            ResteasyReactiveRequestContext request = CurrentRequestManager.get();
            return request == null ? null : name -> request.getPathParameter(name, false);
        };
    }
}
