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

class RedisAwayTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Routes.class, Api.class))
            .withConfiguration("quarkus.redis.hosts=redis://localhost:1\n" + policy("refusing", 1, "global")
                    + route("refusing", "/refusing", "refusing") + policy("local", 1, "global")
                    + route("local", "/local", "local")
                    + """
                            quarkus.rate-limit.policies.refusing.on-redis-failure=deny
                            quarkus.rate-limit.policies.local.on-redis-failure=local
                            """);

    @Test
    void refusesAsUnavailable() {
        Response refused = given().get("/refusing");

        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        assertThat(refused.jsonPath().getString("type")).endsWith("#temporary-reduced-capacity");
        assertThat(GrpcCalls.post("/refusing", "application/grpc").headers().firstValue("grpc-status")).hasValue("14");
        assertThat(given().contentType("application/grpc").post("/refusing").statusCode()).isEqualTo(503);
    }

    @Test
    void countsInThisInstance() {
        assertThat(given().get("/local").statusCode()).isEqualTo(200);
        assertThat(given().get("/local").statusCode()).isEqualTo(429);
    }

    @Path("/")
    public static class Api {
        @GET
        @Path("refusing")
        public String refusing() {
            return "done";
        }

        @POST
        @Path("refusing")
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
