package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HandlerType;
import io.quarkus.vertx.web.Route.HttpMethod;
import io.quarkus.vertx.web.RouteBase;
import io.quarkus.vertx.web.RouteFilter;
import io.vertx.ext.web.RoutingContext;

/** The annotation on the class counts requests of its routes only. */
@RouteBase(path = "visits")
@RateLimited("visits")
public class Visits {

    private final AtomicInteger requests = new AtomicInteger();

    @RouteFilter
    void seeAll(RoutingContext routing) {
        count();
        routing.next();
    }

    int count() {
        return requests.incrementAndGet();
    }

    @Route(path = "count", methods = HttpMethod.GET)
    String visit() {
        return "" + count();
    }

    @Route(path = "failing", methods = HttpMethod.GET)
    String fail() {
        throw new IllegalStateException("failing");
    }

    @Route(path = "failing", type = HandlerType.FAILURE)
    void reply(RoutingContext routing) {
        count();
        routing.response().setStatusCode(418).end();
    }
}
