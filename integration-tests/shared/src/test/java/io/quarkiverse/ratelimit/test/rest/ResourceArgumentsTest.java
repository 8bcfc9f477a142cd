package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.head;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestForm;
import org.jboss.resteasy.reactive.RestMulti;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.test.fixtures.ScriptCalls;
import io.quarkiverse.ratelimit.test.fixtures.StateKeys;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Requests whose arguments are part of the key or the cost are decided once these are known, with the same responses. */
@QuarkusTest
class ResourceArgumentsTest {

    @Inject
    RedisDataSource redis;

    @Inject
    Administration administration;

    @Inject
    @RateLimitPolicy("user")
    RateLimiter user;

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
        administration.reload().await().indefinitely();
    }

    @ParameterizedTest
    @ValueSource(strings = { "path/", "uni/", "stage/", "multi/", "sse/", "response?user=", "enum?user=", "optional?user=",
            "contract/",
            "generic/", "parent/child/", "parent/made/", "rest-multi/" })
    void everyValueHasACountOfItsOwn(String path) {
        for (int remaining = 2; remaining >= 0; remaining--) {
            var response = get("/arguments/" + path + "alice");

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(left(response)).isEqualTo("\"user\";r=" + remaining);
            assertThat(response.header("RateLimit-Policy")).isEqualTo("\"user\";q=3;w=3600");
            assertThat(response.header("X-RateLimit-Remaining")).isEqualTo("" + remaining);
        }

        assertDenied(get("/arguments/" + path + "alice"));
        assertThat(left(get("/arguments/" + path + "bob"))).isEqualTo("\"user\";r=2");
        assertThat(keys()).hasSize(2)
                .allMatch(key -> key.matches("rate-limit:\\{key\\*[0-9a-f]{64}}:user:default:tb1"));

        user.forKey("alice").reset();
        assertThat(left(get("/arguments/" + path + "alice"))).isEqualTo("\"user\";r=2");
    }

    private static void assertDenied(io.restassured.response.Response denied) {
        Limits.assertRetryAfter(1200, denied);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        assertThat(denied.header("Cache-Control")).isEqualTo("no-store");
        assertThat(left(denied)).isEqualTo("\"user\";r=0");
        assertThat(denied.jsonPath().getString("type"))
                .isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("user");
    }

    @Test
    void requestSendsOneCommandToRedis() {
        get("/arguments/path/warm-up");

        ScriptCalls.assertCalls(redis, 1, () -> get("/arguments/path/" + UUID.randomUUID()));
    }

    @Test
    void headCountsLikeGet() {
        assertThat(left(head("/arguments/path/alice"))).isEqualTo("\"user\";r=2");
        assertThat(left(get("/arguments/path/alice"))).isEqualTo("\"user\";r=1");
    }

    @Test
    void formParametersAndBodiesCount() {
        assertThat(left(given().formParam("user", "alice").post("/arguments/form"))).isEqualTo("\"user\";r=2");
        assertThat(left(given().contentType("text/plain").body("alice").post("/arguments/body"))).isEqualTo("\"user\";r=1");
        assertThat(left(given().formParam("user", "bob").post("/arguments/form"))).isEqualTo("\"user\";r=2");
    }

    @Test
    void absentParameterIsMissing() {
        assertThat(left(get("/arguments/response"))).isEqualTo("\"user\";r=2");
        assertThat(left(get("/arguments/response?user="))).isEqualTo("\"user\";r=1");
        assertThat(left(get("/arguments/optional"))).isEqualTo("\"user\";r=0");
        assertThat(keys()).containsExactly("rate-limit:{ip=127.0.0.1}:user:default:tb1");

        assertUnlimited(get("/arguments/skip"));
        assertThat(left(get("/arguments/skip?user=alice"))).isEqualTo("\"skip\";r=2");
    }

    @Test
    void allPoliciesOfTheMethodCountOnce() {
        for (int call = 1; call <= 3; call++) {
            assertThat(left(get("/arguments/both/alice"))).isEqualTo("\"user\";r=%d, \"other\";r=%d"
                    .formatted(3 - call, 5 - call));
        }

        var denied = get("/arguments/both/alice");

        assertThat(left(denied)).isEqualTo("\"user\";r=0, \"other\";r=2");
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("user");
    }

    @Test
    void whatNeverReachesTheMethodCostsNothing() {
        assertThat(given().contentType("application/xml").body("alice").post("/arguments/body").statusCode()).isEqualTo(415);
        assertThat(get("/arguments/nowhere").statusCode()).isEqualTo(404);
        assertThat(get("/arguments/number/seven").statusCode()).isEqualTo(404);
        assertThat(get("/arguments/enum?user=wrong").statusCode()).isIn(400, 404);
        assertThat(given().header("X-Stop", "yes").get("/arguments/path/alice").statusCode()).isEqualTo(418);

        assertThat(keys()).isEmpty();
    }

    @Test
    void failedMethodIsCountedAndHasHeaders() {
        var failed = get("/arguments/fails/alice");

        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(left(failed)).isEqualTo("\"user\";r=2");
    }

    @Test
    void costIsTheArgument() {
        assertThat(left(get("/arguments/cost?cost=2"))).isEqualTo("\"cost\";r=1");
        assertThat(left(get("/arguments/cost?cost=0"))).isEqualTo("\"cost\";r=1");

        var denied = get("/arguments/cost?cost=2");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(left(denied)).isEqualTo("\"cost\";r=1");
        assertThat(get("/arguments/cost?cost=4").header("Retry-After")).isNull();
        for (String wrong : new String[] { "-1", "1000000001", "null" }) {
            var invalid = given().queryParams(wrong.equals("null") ? Map.of() : Map.of("cost", wrong)).get("/arguments/cost");

            assertThat(invalid.statusCode()).isEqualTo(400);
            assertThat(invalid.contentType()).startsWith("application/problem+json");
            assertThat(invalid.asString()).isEqualTo("{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,"
                    + "\"detail\":\"The cost must be 0 to 1000000000, but is " + wrong + ".\"}");
            assertThat(invalid.headers().asList()).noneMatch(header -> header.getName().contains("RateLimit"));
        }
        assertThat(left(get("/arguments/cost?cost=1"))).isEqualTo("\"cost\";r=0");
    }

    @Test
    void limitHasTheSameNameWhateverACallCosts() {
        assertThat(left(get("/arguments/calls?cost=1"))).isEqualTo("\"cost-calls.cost\";r=9, \"cost-calls.number\";r=1");
        assertThat(left(get("/arguments/calls?cost=0"))).isEqualTo("\"cost-calls.number\";r=0");

        var denied = get("/arguments/calls?cost=0");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(left(denied)).isEqualTo("\"cost-calls.number\";r=0");
        assertThat(denied.header("RateLimit-Policy")).isEqualTo("\"cost-calls.number\";q=2;w=3600");
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("cost-calls.number");
    }

    @Test
    void methodsRunWhereTheyWould() {
        assertThat(get("/arguments/where").asString()).isEqualTo("worker");
        assertThat(get("/arguments/where-uni").asString()).isEqualTo("event loop");
        assertThat(get("/arguments/where-non-blocking").asString()).isEqualTo("event loop");
    }

    @Test
    void resourceMethodsCalledByOthersAreNotCounted() {
        assertUnlimited(get("/arguments/parent/calls/alice"));

        assertThat(keys()).isEmpty();
    }

    private List<String> keys() {
        return StateKeys.of(redis, "user", "other", "skip", "cost");
    }

    @Path("/arguments")
    public static class Arguments {

        @GET
        @Path("path/{user}")
        @RateLimited("user")
        public String path(@RateLimitKey @PathParam("user") String user) {
            return user;
        }

        @GET
        @Path("uni/{user}")
        @RateLimited("user")
        public Uni<String> uni(@RateLimitKey String user) {
            return Uni.createFrom().item(user);
        }

        @GET
        @Path("stage/{user}")
        @RateLimited("user")
        public CompletionStage<String> stage(@RateLimitKey String user) {
            return CompletableFuture.completedFuture(user);
        }

        @GET
        @Path("multi/{user}")
        @RateLimited("user")
        public Multi<String> multi(@RateLimitKey String user) {
            return Multi.createFrom().items(user, user);
        }

        @GET
        @Path("sse/{user}")
        @Produces("text/event-stream")
        @RateLimited("user")
        public Multi<String> events(@RateLimitKey String user) {
            return Multi.createFrom().items(user, user);
        }

        @GET
        @Path("response")
        @RateLimited("user")
        public Response response(@RateLimitKey @QueryParam("user") String user) {
            return Response.ok(user).build();
        }

        @GET
        @Path("enum")
        @RateLimited("user")
        public String ofEnum(@RateLimitKey @QueryParam("user") User user) {
            return user.name();
        }

        @GET
        @Path("optional")
        @RateLimited("user")
        public String optional(@RateLimitKey @QueryParam("user") Optional<String> user) {
            return user.orElse("nobody");
        }

        @GET
        @Path("number/{number}")
        @RateLimited("user")
        public String number(@RateLimitKey int number) {
            return "number";
        }

        @POST
        @Path("form")
        @RateLimited("user")
        public String form(@RateLimitKey @RestForm String user) {
            return "form";
        }

        @POST
        @Path("body")
        @Consumes("text/plain")
        @RateLimited("user")
        public String body(@RateLimitKey String user) {
            return "body";
        }

        @GET
        @Path("skip")
        @RateLimited("skip")
        public String skip(@RateLimitKey @QueryParam("user") String user) {
            return "skip";
        }

        @GET
        @Path("both/{user}")
        @RateLimited("user")
        @RateLimited("other")
        public String both(@RateLimitKey String user) {
            return "both";
        }

        @GET
        @Path("fails/{user}")
        @RateLimited("user")
        public String fails(@RateLimitKey String user) {
            throw new IllegalStateException("fails");
        }

        @GET
        @Path("calls")
        @RateLimited("cost-calls")
        public String calls(@RateLimitCost @QueryParam("cost") int cost) {
            return "calls";
        }

        @GET
        @Path("cost")
        @RateLimited("cost")
        public String cost(@RateLimitCost @QueryParam("cost") Integer cost) {
            return "cost";
        }

        @GET
        @Path("where")
        @RateLimited("user")
        public String where(@RateLimitKey @QueryParam("user") String user) {
            return BlockingOperationControl.isBlockingAllowed() ? "worker" : "event loop";
        }

        @GET
        @Path("where-uni")
        @RateLimited("user")
        public Uni<String> whereUni(@RateLimitKey @QueryParam("user") String user) {
            return Uni.createFrom().item(BlockingOperationControl.isBlockingAllowed() ? "worker" : "event loop");
        }

        @GET
        @NonBlocking
        @Path("where-non-blocking")
        @RateLimited("user")
        public String whereNonBlocking(@RateLimitKey @QueryParam("user") String user) {
            return BlockingOperationControl.isBlockingAllowed() ? "worker" : "event loop";
        }

        @GET
        @Path("rest-multi/{user}")
        @RateLimited("user")
        public RestMulti<String> restMulti(@RateLimitKey String user) {
            return RestMulti.fromMultiData(Multi.createFrom().items(user)).header("X-Own", "own").build();
        }
    }

    public enum User {
        alice,
        bob
    }

    public static class Filter {
        @ServerRequestFilter
        public Response stop(ContainerRequestContext request) {
            return request.getHeaderString("X-Stop") == null ? null : Response.status(418).build();
        }
    }

    @Path("/arguments/contract")
    public interface Contract {
        @GET
        @Path("{user}")
        @RateLimited("user")
        String get(@RateLimitKey @PathParam("user") String user);
    }

    public static class Implementing implements Contract {
        @Override
        public String get(String user) {
            return user;
        }
    }

    public abstract static class Generic<T> {
        @GET
        @Path("{user}")
        @RateLimited("user")
        public String get(@RateLimitKey @PathParam("user") T user) {
            return String.valueOf(user);
        }
    }

    @Path("/arguments/generic")
    public static class Concrete extends Generic<String> {
    }

    @Path("/arguments/parent")
    public static class Parent {

        @Inject
        Child child;

        @Path("child")
        public Child child() {
            return child;
        }

        @Path("made")
        public Made made() {
            return new Made();
        }

        @GET
        @Path("calls/{user}")
        public String call(String user) {
            return child.get(user);
        }
    }

    public static class Made {
        @GET
        @Path("{user}")
        @RateLimited("user")
        public String get(@RateLimitKey @PathParam("user") String user) {
            return user;
        }
    }

    @ApplicationScoped
    public static class Child {
        @GET
        @Path("{user}")
        @RateLimited("user")
        public String get(@RateLimitKey @PathParam("user") String user) {
            return user;
        }
    }
}
