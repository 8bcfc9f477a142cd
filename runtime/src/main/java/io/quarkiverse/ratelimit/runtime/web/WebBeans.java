package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;

import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;

/** Provides what answers requests to resource methods. */
@Singleton
public class WebBeans {

    @Produces
    @Singleton
    Refusals refusals(Settings settings, AnswerHeaders headers, CurrentVertxRequest current) {
        return new Refusals(settings, headers, current);
    }

    @Produces
    @Singleton
    PathParameters pathParameters() {
        return () -> {
            ResteasyReactiveRequestContext request = CurrentRequestManager.get();
            return request == null ? null : name -> request.getPathParameter(name, false);
        };
    }
}
