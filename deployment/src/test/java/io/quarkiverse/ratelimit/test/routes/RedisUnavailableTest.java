package io.quarkiverse.ratelimit.test.routes;

import static io.quarkiverse.ratelimit.test.routes.Routes.policy;
import static io.quarkiverse.ratelimit.test.routes.Routes.route;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

class RedisUnavailableTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Routes.class, Wire.class, GrpcCalls.class, Api.class))
            .withConfiguration("quarkus.redis.hosts=redis://localhost:1\n" + policy("denying", 1, "global")
                    + route("denying", "/denying", "denying") + policy("local", 1, "global")
                    + route("local", "/local", "local")
                    + """
                            quarkus.rate-limit.policies.denying.on-redis-failure=deny
                            quarkus.rate-limit.policies.local.on-redis-failure=local
                            """);

    @Test
    void deniesAsUnavailable() {
        Response denied = given().get("/denying");

        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.header("Retry-After")).isEqualTo("1");
        assertThat(denied.jsonPath().getString("type")).endsWith("#temporary-reduced-capacity");
        assertThat(GrpcCalls.post("/denying", "application/grpc").headers().firstValue("grpc-status")).hasValue("14");
        assertThat(given().contentType("application/grpc").post("/denying").statusCode()).isEqualTo(503);
    }

    @Test
    void countsInThisInstance() {
        assertThat(given().get("/local").statusCode()).isEqualTo(200);
        assertThat(given().get("/local").statusCode()).isEqualTo(429);
    }

    @Path("/")
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
