package io.quarkiverse.ratelimit.runtime.rest;

import java.util.function.UnaryOperator;

import jakarta.inject.Singleton;

import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;

import io.quarkiverse.ratelimit.runtime.web.Work;

/** Finds the path parameters and the work of the current resource method of Quarkus REST. */
@Singleton
public class CurrentResource implements Work.Current {

    @Override
    public UnaryOperator<String> pathParameters() {
        ResteasyReactiveRequestContext request = CurrentRequestManager.get();
        return request == null ? null : name -> request.getPathParameter(name, false);
    }

    @Override
    public Work get() {
        ResteasyReactiveRequestContext request = CurrentRequestManager.get();
        return request == null ? Work.UNKNOWN : new RunningRequest(request);
    }
}
