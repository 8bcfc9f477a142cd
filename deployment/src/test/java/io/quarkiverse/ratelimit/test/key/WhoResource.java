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
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.SenderAddresses;
import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Returns the address of the caller, in a resource and in a route, and the address that Quarkus uses. */
@Path("/who")
@ApplicationScoped
public class WhoResource {

    @Inject
    VertxHttpConfig http;

    @Inject
    Config config;

    @GET
    public String who(RoutingContext context) {
        return String.valueOf(caller(context).address());
    }

    @GET
    @Path("/quarkus")
    public String quarkus(RoutingContext context) {
        return context.request().remoteAddress().host();
    }

    @GET
    @Path("/stranger")
    public boolean stranger(RoutingContext context) {
        return !caller(context).isFrom(List.of(AddressBlock.parse("0.0.0.0/0")));
    }

    @GET
    @Path("/header")
    public String header(RoutingContext context) {
        return caller(context).header("x-api-key");
    }

    /** Here the trusted proxies have no addresses: Quarkus alone compares the name. */
    @GET
    @Path("/by-host-name")
    public String byHostName(RoutingContext context) {
        return String.valueOf(caller(context, List.of("proxy.internal")).address());
    }

    void route(@Observes Router router) {
        router.get("/who/route/by-host-name")
                .handler(context -> context.end(String.valueOf(caller(context, List.of("proxy.internal")).address())));
        router.get("/who/route").handler(context -> context.end(String.valueOf(caller(context).address())));
    }

    private HttpCaller caller(RoutingContext context) {
        return caller(context,
                config.getOptionalValues("quarkus.http.proxy.trusted-proxies", String.class).orElse(List.of()));
    }

    private HttpCaller caller(RoutingContext context, List<String> trusted) {
        return HttpCaller.of(context, new SenderAddresses(http.proxy(), trusted, new AddressForm(64)));
    }
}
