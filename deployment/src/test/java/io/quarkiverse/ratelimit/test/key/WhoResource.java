package io.quarkiverse.ratelimit.test.key;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.ratelimit.runtime.caller.AddressBlock;
import io.quarkiverse.ratelimit.runtime.caller.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.HttpCallers;
import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Tells callers who they are, in a resource and in a route, and who Quarkus takes them for. */
@Path("/who")
@ApplicationScoped
public class WhoResource {

    @Inject
    VertxHttpConfig http;

    @Inject
    Config config;

    @GET
    public String who(RoutingContext context) {
        return String.valueOf(callers().of(context).address());
    }

    @GET
    @Path("/quarkus")
    public String quarkus(RoutingContext context) {
        return context.request().remoteAddress().host();
    }

    @GET
    @Path("/stranger")
    public boolean stranger(RoutingContext context) {
        return !callers().of(context).isFrom(List.of(AddressBlock.parse("0.0.0.0/0")));
    }

    @GET
    @Path("/header")
    public String header(RoutingContext context) {
        return callers().of(context).header("x-api-key");
    }

    /** Here the trusted proxies have no addresses: Quarkus alone compares the name. */
    @GET
    @Path("/by-host-name")
    public String byHostName(RoutingContext context) {
        return String.valueOf(callers(List.of("proxy.internal")).of(context).address());
    }

    void route(@Observes Router router) {
        router.get("/who/route/by-host-name")
                .handler(context -> context.end(String.valueOf(callers(List.of("proxy.internal")).of(context).address())));
        router.get("/who/route").handler(context -> context.end(String.valueOf(callers().of(context).address())));
    }

    private HttpCallers callers() {
        return callers(config.getOptionalValues("quarkus.http.proxy.trusted-proxies", String.class).orElse(List.of()));
    }

    private HttpCallers callers(List<String> trusted) {
        return new HttpCallers(http.proxy(), trusted, new AddressForm(64));
    }
}
