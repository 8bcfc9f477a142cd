package io.quarkiverse.ratelimit.it.entrypoints;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Named;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.qute.Template;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HandlerType;
import io.quarkus.vertx.web.Route.HttpMethod;
import io.quarkus.vertx.web.RouteBase;
import io.smallrye.mutiny.Uni;

/** Pages whose templates call limited methods of a named bean. */
@RouteBase(path = "pages")
public class Pages {

    @Inject
    Template saying;

    @Inject
    Template forecast;

    @Route(path = "saying", methods = HttpMethod.GET, type = HandlerType.BLOCKING)
    String saying() {
        return saying.render();
    }

    @Route(path = "saying-on-event-loop", methods = HttpMethod.GET)
    Uni<String> sayingOnEventLoop() {
        return saying.instance().createUni();
    }

    @Route(path = "forecast", methods = HttpMethod.GET)
    Uni<String> forecast() {
        return forecast.instance().createUni();
    }

    /** The bean of the templates. */
    @Named
    @ApplicationScoped
    public static class Almanac {

        @RateLimited("pages")
        public String saying() {
            return "Festina lente.";
        }

        @RateLimited("pages")
        public Uni<String> forecast() {
            return Uni.createFrom().item("Sunny.");
        }
    }
}
