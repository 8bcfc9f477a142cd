package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;

@QuarkusTest
@TestProfile(Profiles.WithoutRedis.class)
class RouteWithoutRedisTest {

    @Test
    void deniesAsUnavailable() {
        Response denied = given().get("/unavailable-route/denying");

        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.header("Retry-After")).isEqualTo("1");
        assertThat(denied.jsonPath().getString("type")).endsWith("#temporary-reduced-capacity");
        assertThat(GrpcCalls.post("/unavailable-route/denying", "application/grpc").headers().firstValue("grpc-status"))
                .hasValue("14");
        assertThat(given().contentType("application/grpc").post("/unavailable-route/denying").statusCode()).isEqualTo(503);
    }

    @Test
    void countsInThisInstance() {
        assertThat(given().get("/unavailable-route/local").statusCode()).isEqualTo(200);
        assertThat(given().get("/unavailable-route/local").statusCode()).isEqualTo(429);
    }

    @Path("/unavailable-route")
    public static class Api {
        @GET
        @Path("denying")
        public String denying() {
            return "done";
        }

        @POST
        @Path("denying")
        public String post() {
            return "done";
        }

        @GET
        @Path("local")
        public String local() {
            return "done";
        }
    }
}
