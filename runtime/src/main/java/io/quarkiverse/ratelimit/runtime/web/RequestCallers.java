package io.quarkiverse.ratelimit.runtime.web;

import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.CallerSource;
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.HttpCallers;
import io.quarkus.arc.Arc;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/** Says who sends a request, with its authenticated name only where that is needed. */
final class RequestCallers implements CallerSource {

    private final HttpCallers callers;
    private final CurrentVertxRequest current;

    RequestCallers(HttpCallers callers, CurrentVertxRequest current) {
        this.callers = callers;
        this.current = current;
    }

    boolean forwardingTrustsAnybody() {
        return callers.forwardingTrustsAnybody();
    }

    Uni<HttpCaller> of(RoutingContext routing, boolean withPrincipal) {
        HttpCaller caller = callers.of(routing);
        if (!withPrincipal) {
            return Uni.createFrom().item(caller);
        }
        return QuarkusHttpUser.getSecurityIdentity(routing, null).map(identity -> caller
                .authenticated(identity == null || identity.isAnonymous() ? null : identity.getPrincipal().getName()));
    }

    @Override
    public Uni<Caller> current(boolean withPrincipal) {
        RoutingContext routing = Arc.container().requestContext().isActive() ? current.getCurrent() : null;
        return routing == null ? Uni.createFrom().item(Caller.UNKNOWN) : of(routing, withPrincipal).map(caller -> caller);
    }
}
