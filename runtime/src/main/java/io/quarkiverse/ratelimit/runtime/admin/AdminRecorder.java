package io.quarkiverse.ratelimit.runtime.admin;

import io.quarkus.arc.Arc;
import io.quarkus.runtime.annotations.Recorder;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;

/** Connects the route of the administration with its handler. */
@Recorder
public class AdminRecorder {

    /** The first request creates the handler, after the application has started. */
    public Handler<RoutingContext> handler() {
        return routing -> Arc.container().instance(AdminHandler.class).get().handle(routing);
    }
}
