package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** What a route has decided remains in effect when the application reroutes the request, for which Vert.x removes handlers. */
@QuarkusTest
class RouteReroutesTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    @RateLimitPolicy("rerouted-failures")
    RateLimiter failures;

    @Inject
    @RateLimitPolicy("rerouted-running")
    RateLimiter running;

    @Inject
    @RateLimitPolicy("rerouted-to-running")
    RateLimiter toRunning;

    @Inject
    Served served;

    private final String caller = UUID.randomUUID().toString();

    @ParameterizedTest
    @ValueSource(strings = { "resource", "handler" })
    void responseHasTheHeadersOfTheFirstPath(String to) {
        var response = given().header("X-Caller", caller).get("/rerouted/from/" + to);

        assertThat(response.asString()).isEqualTo("served");
        assertThat(response.headers().getValues("RateLimit")).hasSize(1).first().asString()
                .startsWith("\"rerouted-failures\";r=2");
        assertThat(response.header("X-RateLimit-Remaining")).isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(strings = { "second", "annotated" })
    void responseHasTheHeadersOfBothPaths(String to) {
        for (int call = 0; call < 2; call++) {
            var response = given().header("X-Caller", caller).get("/rerouted/from/" + to + "?status=404");

            assertThat(response.statusCode()).isEqualTo(call == 0 ? 404 : 429);
            assertThat(response.headers().getValues("RateLimit")).hasSize(1).first().asString()
                    .matches("\"rerouted-failures\";r=" + (2 - call) + ";t=\\d+, \"rerouted-second\";r=0;t=\\d+");
            assertThat(response.headers().getValues("RateLimit-Policy")).hasSize(1);
            assertThat(response.headers().getValues("X-RateLimit-Remaining")).containsExactly("0");
        }
    }

    @Test
    void requestThatReturnsToItsPathIsDecidedOnce() {
        var response = given().header("X-Caller", caller).get("/rerouted/from/again?status=404");

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.headers().getValues("RateLimit")).hasSize(1).first().asString()
                .startsWith("\"rerouted-failures\";r=2");
        assertThat(failures.forKey(caller).peek().remaining()).isEqualTo(2);
    }

    @Test
    void clientThatLeavesWhileTheOtherPathDelaysItIsRefundedByTheFirst() throws Exception {
        given().header("X-Caller", caller).get("/rerouted/from/delayed?status=404").then().statusCode(404);
        try (Socket client = Wire.send("GET", "/rerouted/from/delayed?status=404", "", "X-Caller: " + caller)) {
            await().atMost(SOON).until(() -> failures.forKey(caller).peek().remaining() == 1);
        }

        await().atMost(SOON).until(() -> failures.forKey(caller).peek().remaining() == 2);
    }

    @ParameterizedTest
    @ValueSource(strings = { "resource", "handler" })
    void statusOfTheOtherPathDecidesWhetherTheCallCounts(String to) {
        given().header("X-Caller", caller).get("/rerouted/from/" + to + "?status=404").then().statusCode(404);
        given().header("X-Caller", caller).get("/rerouted/from/" + to + "?status=200").then().statusCode(200);

        await().atMost(SOON).until(() -> failures.forKey(caller).peek().remaining() == 2);
    }

    @Test
    void clientThatLeavesEndsNoWorkOfAResourceMethod() throws Exception {
        try (Socket client = Wire.send("GET", "/rerouted/running", "")) {
            served.working.await();
        }
        await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> !toRunning.forKey("any").peek().allowed()
                && !running.forKey("any").peek().allowed());

        served.gate.countDown();
        await().atMost(SOON).until(() -> toRunning.forKey("any").peek().allowed() && running.forKey("any").peek().allowed());
    }

    @Singleton
    public static class Served {

        final CountDownLatch working = new CountDownLatch(1);
        final CountDownLatch gate = new CountDownLatch(1);

        void serve(@Observes Router router) {
            router.get("/rerouted/from/resource")
                    .handler(context -> context.reroute("/rerouted/resource?" + context.request().query()));
            router.get("/rerouted/from/handler")
                    .handler(context -> context.reroute("/rerouted/handler?" + context.request().query()));
            for (String path : List.of("second", "annotated", "delayed")) {
                router.get("/rerouted/from/" + path)
                        .handler(context -> context.reroute("/rerouted/" + path + "?" + context.request().query()));
            }
            router.get("/rerouted/from/again").handler(context -> {
                if (context.get("again") == null) {
                    context.put("again", true).reroute("/rerouted/from/again?" + context.request().query());
                } else {
                    Served.respond(context);
                }
            });
            for (String path : List.of("handler", "second", "delayed")) {
                router.get("/rerouted/" + path).handler(Served::respond);
            }
            router.get("/rerouted/running").handler(context -> context.reroute("/rerouted/to-running"));
        }

        private static void respond(RoutingContext context) {
            String status = context.request().getParam("status");
            context.response().setStatusCode(status == null ? 200 : Integer.parseInt(status));
            context.end("served");
        }
    }

    @Path("/rerouted")
    public static class Resource {

        @Inject
        Served served;

        @GET
        @Path("resource")
        public Response resource(@QueryParam("status") Integer status) {
            return Response.status(status == null ? 200 : status).entity("served").build();
        }

        @GET
        @Path("annotated")
        @RateLimited("rerouted-second")
        public Response annotated(@QueryParam("status") Integer status) {
            return resource(status);
        }

        @GET
        @Path("to-running")
        public String running() throws InterruptedException {
            served.working.countDown();
            served.gate.await();
            return "worked";
        }
    }
}
