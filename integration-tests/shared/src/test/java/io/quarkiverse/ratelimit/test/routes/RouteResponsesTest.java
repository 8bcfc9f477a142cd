package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient.Version;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.ResponseBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.Header;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.http.WebSocketBase;
import io.vertx.ext.web.Router;

/** Responses of routes look like those of annotations, to browsers of other origins and to gRPC clients as well. */
@QuarkusTest
class RouteResponsesTest {

    @Test
    void preflightsThatQuarkusServesAreNotCounted() {
        for (int call = 0; call < 3; call++) {
            given().header("Origin", "https://shop.example").header("Access-Control-Request-Method", "GET")
                    .options("/responses/api?caller=cors").then().statusCode(200);
        }

        Response first = given().header("Origin", "https://shop.example").get("/responses/api?caller=cors");
        Response denied = given().header("Origin", "https://shop.example").get("/responses/api?caller=cors");

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("Access-Control-Allow-Origin")).isEqualTo("https://shop.example");
    }

    /** The headers that a page of an allowed origin may read. */
    @ParameterizedTest
    @ValueSource(strings = { "/responses/api", "/responses/limited", "/responses/bean" })
    void pagesOfAllowedOriginsMayReadTheHeadersOfAllResponses(String path) {
        for (int status : new int[] { 200, 429 }) {
            Response response = from("https://app.example").get(path + "?caller=page-of" + path);

            assertThat(response.statusCode()).isEqualTo(status);
            assertThat(response.header("Access-Control-Allow-Origin")).isEqualTo("https://app.example");
            List<String> exposed = response.headers().getValues("Access-Control-Expose-Headers");
            assertThat(exposed).contains("X-Own");
            if (status == 429 || !path.endsWith("bean")) {
                assertThat(exposed.stream().flatMap(names -> Stream.of(names.split(",\\s*")))).contains("RateLimit",
                        "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
                        .filteredOn(name -> name.equalsIgnoreCase("Retry-After")).hasSize(1);
            }
        }
    }

    @Test
    void headersAreExposedOnceWithAHandshakeToo() {
        Response response = given().header("Origin", "https://app.example").header("Sec-WebSocket-Key", "abc")
                .get("/responses/limited?caller=handshake");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().getValues("Access-Control-Expose-Headers").toString())
                .containsOnlyOnce("X-RateLimit-Remaining").contains("X-Own");
    }

    @Test
    void denialByALimiterInCodeMayBeRead() {
        Response denied = from("https://app.example").get("/responses/code");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("Retry-After")).isNotNull();
        assertThat(denied.headers().getValues("Access-Control-Expose-Headers").toString()).containsIgnoringCase("Retry-After");
    }

    @Test
    void endpointThatAllowsTheOriginItselfExposesTheHeadersToo() {
        Response response = given().get("/responses/open?caller=open");

        assertThat(response.header("RateLimit")).isNotNull();
        assertThat(response.headers().getValues("Access-Control-Expose-Headers").toString()).contains("RateLimit-Policy");
    }

    @Test
    void pagesOfOtherOriginsLearnNothing() {
        for (int call = 0; call < 3; call++) {
            Response response = from("https://evil.example").get("/responses/limited?caller=evil");
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.headers()).extracting(Header::getName, Header::getValue).asString().doesNotContainIgnoringCase(
                    "ratelimit").doesNotContainIgnoringCase("Retry-After");
        }
        assertThat(from("https://app.example").get("/responses/limited?caller=evil").statusCode()).isEqualTo(200);
    }

    @Test
    void nothingIsExposedWithoutAnOrigin() {
        assertThat(given().get("/responses/limited?caller=program").headers().getValues("Access-Control-Expose-Headers"))
                .isEmpty();
    }

    @Test
    void responsesOfUnlimitedEndpointsExposeWhatTheApplicationDoes() {
        assertThat(from("https://app.example").get("/responses/free").headers().getValues("Access-Control-Expose-Headers"))
                .containsExactly("X-Own");
    }

    private static RequestSpecification from(String origin) {
        return given().header("Origin", origin);
    }

    @Test
    void otherOptionsAreCounted() {
        assertThat(given().options("/responses/api?caller=options").header("RateLimit")).isNotNull();
        assertThat(given().options("/responses/api?caller=options").statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = { "application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8",
            "Application/gRPC+json" })
    void grpcCallsAreDeniedWithTheirOwnStatus(String contentType) {
        given().get("/responses/api?caller=grpc");

        HttpResponse<String> denied = GrpcCalls.post("/responses/api?caller=grpc", contentType);

        assertThat(denied.version()).isEqualTo(Version.HTTP_2);
        assertThat(denied.statusCode()).isEqualTo(200);
        assertThat(denied.headers().firstValue("content-type")).hasValue("application/grpc");
        assertThat(denied.headers().firstValue("grpc-status")).hasValue("8");
        assertThat(denied.headers().firstValue("grpc-message").get())
                .startsWith("Policy one-response is used up. Retry after ");
        assertThat(denied.headers().firstValue("RateLimit").get()).startsWith("\"one-response\";r=0");
        assertThat(denied.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "application/grpcx", "application/grpc-web", "application/grpc-web+proto", "text/plain" })
    void otherContentTypesAreNotGrpc(String contentType) {
        given().get("/responses/api?caller=no-grpc");

        HttpResponse<String> denied = GrpcCalls.post("/responses/api?caller=no-grpc", contentType);

        assertThat(denied.version()).isEqualTo(Version.HTTP_2);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("grpc-status")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8",
            "application/grpcx" })
    void nothingIsGrpcOverHttp1(String contentType) {
        given().get("/responses/api?caller=http1");

        String denied = Wire.exchange("POST", "/responses/api?caller=http1", "body", "Content-Type: " + contentType);

        assertThat(Wire.status(denied)).isEqualTo(429);
        assertThat(denied).contains("application/problem+json").doesNotContainIgnoringCase("grpc-status");
    }

    @Test
    void beansResolveTheCaller() {
        assertThat(tenant("a").statusCode()).isEqualTo(200);
        assertThat(tenant("b").statusCode()).isEqualTo(200);

        assertThat(tenant("a").statusCode()).isEqualTo(429);
    }

    @Test
    void responseThatOpensAWebSocketHasTheHeaders() {
        String opened = Wire.head("/responses/socket?caller=socket", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");

        assertThat(Wire.status(opened)).isEqualTo(101);
        assertThat(opened).containsOnlyOnce("RateLimit: \"one-response\";r=0").containsOnlyOnce("X-RateLimit-Remaining: 0");
        assertThat(Wire.status(Wire.get("/responses/socket?caller=socket"))).isEqualTo(429);
    }

    @Test
    void policyThatIsNotEnabledLimitsNothing() {
        for (int call = 0; call < 3; call++) {
            Response response = given().get("/responses/off");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.header("RateLimit")).isNull();
        }
    }

    private static Response tenant(String name) {
        return given().header("X-Tenant", name).get("/responses/tenant");
    }

    @Identifier("response-tenant")
    @Singleton
    public static class Tenant implements RateLimitKeyResolver {
        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return Uni.createFrom().item(call.header("X-Tenant"))
                    .emitOn(Infrastructure.getDefaultExecutor());
        }
    }

    @ApplicationScoped
    public static class Bean {

        @RateLimited("shared-response")
        public String call() {
            return "called";
        }
    }

    @ApplicationScoped
    public static class Sockets {
        void serve(@Observes Router router) {
            router.get("/responses/socket").handler(routing -> routing.request().toWebSocket().onSuccess(WebSocketBase::close));
        }
    }

    @Path("/responses")
    public static class Api {

        @Inject
        Bean bean;

        @Inject
        RateLimiters limiters;

        @GET
        @Path("limited")
        @RateLimited("shared-response")
        public String limited() {
            return "done";
        }

        @GET
        @Path("open")
        @RateLimited("shared-response")
        public RestResponse<String> open() {
            return ResponseBuilder.ok("done").header("Access-Control-Allow-Origin", "*").build();
        }

        @GET
        @Path("bean")
        public String bean() {
            return bean.call();
        }

        @GET
        @Path("code")
        public String code() {
            RateLimiter limiter = limiters.create("response-code", Limit.tokenBucket(1).refill(1, Duration.ofHours(1)))
                    .forKey("anybody");
            limiter.acquireOrThrow();
            limiter.acquireOrThrow();
            return "done";
        }

        @GET
        @Path("free")
        public String free() {
            return "done";
        }

        @GET
        @Path("api")
        public String api() {
            return "done";
        }

        @POST
        @Path("api")
        public String post() {
            return "done";
        }

        @GET
        @Path("tenant")
        public String tenant() {
            return "done";
        }

        @GET
        @Path("off")
        public String off() {
            return "done";
        }
    }
}
