package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient.Version;
import java.net.http.HttpResponse;

import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** Responses of routes look like those of annotations, to browsers of other origins and to gRPC clients as well. */
@QuarkusTest
class ResponsesTest {

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
                .startsWith("Policy one-response is used up. Retry after 3");
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

    @Path("/responses")
    public static class Api {
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
