package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

import jakarta.annotation.security.RolesAllowed;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.vertx.web.Param;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HandlerType;
import io.quarkus.vertx.web.Route.HttpMethod;
import io.quarkus.vertx.web.RouteBase;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** Reactive routes of each kind. */
@RouteBase(path = "routes")
public class Routes {

    private final Queue<HttpServerResponse> waiting = new ConcurrentLinkedQueue<>();

    @Inject
    Courier courier;

    @Route(methods = HttpMethod.GET)
    @RateLimited("calls")
    String plain() {
        return Context.isOnWorkerThread() ? "worker" : "event loop";
    }

    @Route(methods = HttpMethod.GET)
    String unlimited() {
        return Context.isOnWorkerThread() ? "worker" : "event loop";
    }

    @Route(methods = HttpMethod.GET, type = HandlerType.BLOCKING)
    @RateLimited("calls")
    String blocking() {
        return "blocking";
    }

    @Route(methods = HttpMethod.GET)
    @RateLimited("calls")
    void written(RoutingContext routing) {
        routing.response().end("written");
    }

    @Route(methods = HttpMethod.GET)
    @RateLimited("calls")
    void upstream(RoutingContext routing) {
        routing.response().putHeader("x-ratelimit-remaining", "77").putHeader("ratelimit", "\"upstream\";r=77").end("upstream");
    }

    @Route(methods = HttpMethod.GET)
    @RateLimited("calls")
    Uni<String> uni() {
        return Uni.createFrom().item(Context.isOnWorkerThread() ? "worker" : "event loop");
    }

    @Route(methods = HttpMethod.GET)
    @RateLimited("calls")
    CompletionStage<String> stage() {
        return CompletableFuture.completedFuture("stage");
    }

    @Route(methods = HttpMethod.GET)
    @RateLimited("calls")
    Multi<String> multi() {
        return Multi.createFrom().items("mul", "ti");
    }

    /** Begins a response, and returns before another request ends it. */
    @Route(methods = HttpMethod.GET)
    @RateLimited("one-at-once")
    void later(RoutingContext routing) {
        waiting.add(routing.response().setChunked(true));
        routing.response().write("begun");
    }

    @Route(path = "end-later", methods = HttpMethod.GET)
    String endLater() {
        waiting.remove().end();
        return "ended";
    }

    @Route(methods = HttpMethod.GET)
    @RateLimited("late")
    String late() {
        return "late";
    }

    @Route(path = "late-uni", methods = HttpMethod.GET)
    @RateLimited("late")
    Uni<String> lateUni() {
        return Uni.createFrom().item("late");
    }

    @Route(path = "of/:name", methods = HttpMethod.GET)
    @RateLimited("calls-by-path")
    String ofPath(@Param String name) {
        return name;
    }

    @Route(path = "of-user", methods = HttpMethod.GET)
    @RolesAllowed("user")
    @RateLimited("calls-by-user")
    Uni<String> ofUser() {
        return Uni.createFrom().item("user");
    }

    @Route(methods = HttpMethod.GET)
    @RateLimited(value = "ten-by-argument", cost = 8)
    Uni<String> costly(@Param @RateLimitKey String user) {
        return Uni.createFrom().item(user);
    }

    @Route(path = "cost-plain", methods = HttpMethod.GET)
    @RateLimited("calls")
    String costPlain(@Param("cost") @RateLimitCost Long cost) {
        return "plain";
    }

    @Route(path = "cost-uni", methods = HttpMethod.GET)
    @RateLimited("calls")
    Uni<String> costUni(@Param("cost") @RateLimitCost Long cost) {
        return Uni.createFrom().item("uni");
    }

    @Route(path = "cost-stage", methods = HttpMethod.GET)
    @RateLimited("calls")
    CompletionStage<String> costStage(@Param("cost") @RateLimitCost Long cost) {
        return CompletableFuture.completedFuture("stage");
    }

    @Route(path = "cost-multi", methods = HttpMethod.GET)
    @RateLimited("calls")
    Multi<String> costMulti(@Param("cost") @RateLimitCost Long cost) {
        return Multi.createFrom().items("mul", "ti");
    }

    @Route(methods = HttpMethod.GET)
    @RateLimited("by-argument")
    @RateLimited("calls")
    Uni<String> search(@Param @RateLimitKey(policies = "by-argument") String user) {
        return Uni.createFrom().item(user);
    }

    @Route(methods = HttpMethod.GET)
    Uni<String> bean() {
        return courier.send();
    }

    @Route(path = "own/handled", methods = HttpMethod.GET)
    @RateLimited("calls")
    Uni<String> handled() {
        return Uni.createFrom().item("handled");
    }

    @Route(path = "own/*", type = HandlerType.FAILURE)
    void ownReply(RoutingContext routing) {
        routing.response().setStatusCode(418).end();
    }
}
