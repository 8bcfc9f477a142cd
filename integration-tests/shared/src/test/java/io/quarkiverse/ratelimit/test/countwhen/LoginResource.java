package io.quarkiverse.ratelimit.test.countwhen;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;

import org.jboss.resteasy.reactive.RestMulti;
import org.jboss.resteasy.reactive.server.Cancellable;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Responds with the status in the query, in every way, after the client has left where the query contains that too. */
@Path("/login")
public class LoginResource {

    @Singleton
    public static class Counted {

        final AtomicInteger arrived = new AtomicInteger();
        final AtomicInteger responded = new AtomicInteger();

        @RateLimited("failures")
        public void attempt() {
        }

        @RateLimited("failures")
        public Uni<Void> attemptLater() {
            return Uni.createFrom().voidItem();
        }
    }

    @Inject
    Counted counted;

    @GET
    @Path("text")
    @RateLimited("failures")
    public Response text(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves, RoutingContext context) {
        awaitClient(leaves, context);
        return Response.status(status).entity("text").build();
    }

    @GET
    @Path("empty")
    @RateLimited("failures")
    public Response empty(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves, RoutingContext context) {
        awaitClient(leaves, context);
        return Response.status(status).build();
    }

    @GET
    @Path("output")
    @RateLimited("failures")
    public Response output(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves, RoutingContext context) {
        awaitClient(leaves, context);
        return Response.status(status).entity((StreamingOutput) out -> {
            for (int i = 0; i < 20; i++) {
                out.write(new byte[10_000]);
            }
        }).build();
    }

    @GET
    @Path("thrown")
    @RateLimited("failures")
    public String thrown(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves, RoutingContext context) {
        awaitClient(leaves, context);
        if (status == 200) {
            return "in";
        }
        throw new WebApplicationException(Response.status(status).entity("no").build());
    }

    @GET
    @Path("unsuccessful")
    @RateLimited("unsuccessful")
    public Response unsuccessful(@QueryParam("status") int status) {
        return Response.status(status).build();
    }

    @GET
    @Path("bug")
    @RateLimited("errors")
    public String bug(@QueryParam("status") int status) {
        if (status == 500) {
            throw new IllegalStateException("unmapped");
        }
        throw new WebApplicationException(status);
    }

    @GET
    @Path("kept-uni")
    @Cancellable(false)
    @RateLimited("failures")
    public Uni<Response> keptUni(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves,
            RoutingContext context) {
        return client(leaves, context).map(ignored -> Response.status(status).entity("text").build());
    }

    @GET
    @Path("uni")
    @RateLimited("failures")
    public Uni<Response> uni(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves, RoutingContext context) {
        return client(leaves, context).map(ignored -> Response.status(status).entity("text").build());
    }

    @GET
    @Path("stage")
    @RateLimited("failures")
    public CompletionStage<Response> stage(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves,
            RoutingContext context) {
        return client(leaves, context).map(ignored -> Response.status(status).build()).subscribeAsCompletionStage();
    }

    @GET
    @Path("keyed")
    @RateLimited("keyed")
    public Response keyed(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves,
            @RateLimitKey @QueryParam("caller") String caller, RoutingContext context) {
        awaitClient(leaves, context);
        return Response.status(status).entity("text").build();
    }

    @GET
    @Path("bean")
    public Response bean(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves, RoutingContext context) {
        counted.attempt();
        awaitClient(leaves, context);
        return Response.status(status).entity("text").build();
    }

    @GET
    @Path("bean-uni")
    public Uni<Response> beanUni(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves,
            RoutingContext context) {
        return counted.attemptLater().chain(() -> client(leaves, context))
                .map(ignored -> Response.status(status).entity("text").build());
    }

    @GET
    @Path("by-both")
    @RateLimited("failures")
    public Response byBoth(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves, RoutingContext context) {
        awaitClient(leaves, context);
        return Response.status(status).entity("text").build();
    }

    @GET
    @Path("by-route")
    public Response byRoute(@QueryParam("status") int status, @QueryParam("leaves") boolean leaves, RoutingContext context) {
        awaitClient(leaves, context);
        return Response.status(status).entity("text").build();
    }

    @GET
    @Path("stream")
    @RateLimited("failures")
    public Multi<String> stream(@QueryParam("status") int status) {
        return RestMulti.fromMultiData(Multi.createFrom().ticks().every(Duration.ofMillis(10)).map(tick -> "tick")
                .select().first(status == 200 ? 1_000_000 : 3)).status(status).build();
    }

    void serve(@Observes Router router) {
        router.get("/login/plain-route").handler(context -> {
            int status = Integer.parseInt(context.queryParams().get("status"));
            client(Boolean.parseBoolean(context.queryParams().get("leaves")), context)
                    .subscribe().with(ignored -> context.response().setStatusCode(status).end("text"));
        });
    }

    private void awaitClient(boolean leaves, RoutingContext context) {
        client(leaves, context).await().atMost(Duration.ofSeconds(20));
    }

    private Uni<Void> client(boolean leaves, RoutingContext context) {
        if (!leaves) {
            return Uni.createFrom().voidItem();
        }
        HttpServerResponse response = context.response();
        Vertx vertx = context.vertx();
        return Uni.createFrom().<Void> emitter(left -> {
            vertx.setPeriodic(10, timer -> {
                if (response.closed()) {
                    vertx.cancelTimer(timer);
                    counted.responded.incrementAndGet();
                    left.complete(null);
                }
            });
            counted.arrived.incrementAndGet();
        });
    }
}
