package io.quarkiverse.ratelimit.test.countwhen;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** Each of several policies counts by its own statuses, also a policy in shadow mode. */
@QuarkusTest
class CountWhenCombinationsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration WHILE = Duration.ofMillis(300);

    @Inject
    RateLimiters limiters;

    @Test
    void onlyThePolicyWithStatusesRefunds() {
        given().get("/counted/200").then().statusCode(200);
        given().get("/counted/401").then().statusCode(401);

        await().atMost(SOON).until(() -> left("failed") == 4);
        await().during(WHILE).atMost(SOON).until(() -> left("failed") == 4 && left("attempts") == 7);
    }

    @Test
    void policyThatIsOnlyTriedCountsInTheSameWay() {
        given().get("/tried/200").then().statusCode(200);
        given().get("/tried/401").then().statusCode(401);

        await().atMost(SOON).until(() -> left("tried") == 4);
        await().during(WHILE).atMost(SOON).until(() -> left("tried") == 4);
    }

    @Test
    void denialByAnotherPolicyIsAStatusLikeAnyOther() {
        given().get("/outer/401").then().statusCode(401);
        for (int call = 0; call < 10; call++) {
            given().get("/outer/401").then().statusCode(429);
        }

        await().atMost(SOON).until(() -> left("outer-failed") == 4);
    }

    @Test
    void delayedCallIsRefunded() {
        given().get("/paced-counted/401").then().statusCode(401);
        given().get("/paced-counted/200").then().statusCode(200);
        given().get("/paced-counted/200").then().statusCode(200);

        await().atMost(SOON).until(() -> left("delayed-failed") == 4);
    }

    private long left(String policy) {
        return limiters.get(policy).forKey("any").peek().remaining();
    }

    @Path("/")
    public static class Api {

        @GET
        @Path("counted/{status}")
        @RateLimited("failed")
        @RateLimited("attempts")
        public Response several(@PathParam("status") int status) {
            return Response.status(status).entity("text").build();
        }

        @GET
        @Path("tried/{status}")
        @RateLimited("tried")
        public Response tried(@PathParam("status") int status) {
            return Response.status(status).entity("text").build();
        }

        @GET
        @Path("paced-counted/{status}")
        @RateLimited("delayed-pace")
        @RateLimited("delayed-failed")
        public Response delayed(@PathParam("status") int status) {
            return Response.status(status).entity("text").build();
        }

        @GET
        @Path("outer/{status}")
        @RateLimited("inner-once")
        public Response outer(@PathParam("status") int status) {
            return Response.status(status).entity("text").build();
        }
    }
}
