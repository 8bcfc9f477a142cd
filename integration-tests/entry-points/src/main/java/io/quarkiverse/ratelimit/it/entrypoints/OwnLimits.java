package io.quarkiverse.ratelimit.it.entrypoints;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.vertx.web.Param;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HandlerType;
import io.quarkus.vertx.web.Route.HttpMethod;
import io.quarkus.vertx.web.RouteBase;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;
import io.smallrye.mutiny.Uni;

/** Shows callers how many permits they have left, at each entry point. */
@ApplicationScoped
public class OwnLimits {

    @Inject
    RateLimiters limiters;

    private volatile String failureOfSchedule = "not yet run";

    String left(String policy) {
        return shown(limiters.get(policy).forCaller().peek());
    }

    Uni<String> leftUni(String policy) {
        return limiters.get(policy).reactive().forCaller().peek().map(OwnLimits::shown);
    }

    private static String shown(RateLimitDecision decision) {
        return decision.remaining() + " " + decision.key();
    }

    @Scheduled(every = "1s", identity = "own-limits")
    void scheduled() {
        try {
            failureOfSchedule = left("own-user");
        } catch (IllegalStateException e) {
            failureOfSchedule = e.getMessage();
        }
    }

    String failureOfSchedule() {
        return failureOfSchedule;
    }

    @RouteBase(path = "own")
    public static class OfRoutes {

        @Inject
        OwnLimits limits;

        @Route(methods = HttpMethod.GET)
        @RateLimited("own-user")
        @RateLimited("own-address")
        Uni<String> charge() {
            return Uni.createFrom().item("charged");
        }

        @Route(path = "worker/:policy", methods = HttpMethod.GET, type = HandlerType.BLOCKING)
        String worker(@Param String policy) {
            return limits.left(policy);
        }

        @Route(path = "uni/:policy", methods = HttpMethod.GET)
        Uni<String> uni(@Param String policy) {
            return limits.leftUni(policy);
        }
    }

    @WebSocket(path = "/own-worker/{room}")
    public static class OfMessages {

        @Inject
        OwnLimits limits;

        @OnTextMessage
        String left(String policy) {
            return limits.left(policy);
        }
    }

    @WebSocket(path = "/own-uni/{room}")
    public static class OfReactiveMessages {

        @Inject
        OwnLimits limits;

        @OnTextMessage
        Uni<String> left(String policy) {
            return limits.leftUni(policy);
        }
    }
}
