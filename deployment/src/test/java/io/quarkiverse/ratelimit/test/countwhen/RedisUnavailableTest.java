package io.quarkiverse.ratelimit.test.countwhen;

import static io.restassured.RestAssured.given;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

class RedisUnavailableTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withConfiguration("""
                    quarkus.redis.hosts=redis://localhost:1
                    quarkus.rate-limit.on-redis-failure=local
                    quarkus.rate-limit.policies.failures.permits=2
                    quarkus.rate-limit.policies.failures.period=10d
                    quarkus.rate-limit.policies.failures.key=global
                    quarkus.rate-limit.policies.failures.count-when=401
                    """);

    @Test
    void refundsInThisInstance() {
        for (int call = 0; call < 10; call++) {
            given().get("/200").then().statusCode(200);
        }
        given().get("/401").then().statusCode(401);
        given().get("/401").then().statusCode(401);

        given().get("/200").then().statusCode(429);
    }

    @Path("/{status}")
    public static class Api {
        @GET
        @RateLimited("failures")
        public Response respond(@PathParam("status") int status) {
            return Response.status(status).entity("text").build();
        }
    }
}
