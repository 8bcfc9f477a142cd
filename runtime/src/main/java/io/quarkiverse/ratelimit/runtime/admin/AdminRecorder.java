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
        return new CreatedLate();
    }

    /** A class, because the build reads the methods of this recorder also where the application has no HTTP. */
    private static final class CreatedLate implements Handler<RoutingContext> {

        @Override
        public void handle(RoutingContext routing) {
            Arc.container().instance(AdminHandler.class).get().handle(routing);
        }
    }
}
