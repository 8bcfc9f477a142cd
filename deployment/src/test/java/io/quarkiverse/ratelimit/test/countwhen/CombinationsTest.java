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
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;

/** Each policy counts by its own statuses, also one that is only tried, and one that denies nothing. */
class CombinationsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration WHILE = Duration.ofMillis(300);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withConfiguration("quarkus.rate-limit.timeout=10s\n" + policy("failures", 5, "401") + policy("all", 9, null)
                    + policy("tried", 5, "401") + "quarkus.rate-limit.policies.tried.mode=shadow\n"
                    + policy("outer", 5, "401") + policy("inner", 1, null)
                    + """
                            quarkus.rate-limit.routes.outer.paths=/outer/*
                            quarkus.rate-limit.routes.outer.policy=outer
                            """);

    private static String policy(String name, int permits, String statuses) {
        return """
                quarkus.rate-limit.policies.%1$s.permits=%2$d
                quarkus.rate-limit.policies.%1$s.period=10d
                quarkus.rate-limit.policies.%1$s.key=global
                """.formatted(name, permits)
                + (statuses == null ? "" : "quarkus.rate-limit.policies." + name + ".count-when=" + statuses + "\n");
    }

    @Inject
    RateLimiters limiters;

    @Test
    void onlyThePolicyWithStatusesRefunds() {
        given().get("/several/200").then().statusCode(200);
        given().get("/several/401").then().statusCode(401);

        await().atMost(SOON).until(() -> left("failures") == 4);
        await().during(WHILE).atMost(SOON).until(() -> left("failures") == 4 && left("all") == 7);
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

        await().atMost(SOON).until(() -> left("outer") == 4);
    }

    private long left(String policy) {
        return limiters.get(policy).forKey("any").peek().remaining();
    }

    @Path("/")
    public static class Api {

        @GET
        @Path("several/{status}")
        @RateLimited("failures")
        @RateLimited("all")
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
        @Path("outer/{status}")
        @RateLimited("inner")
        public Response outer(@PathParam("status") int status) {
            return Response.status(status).entity("text").build();
        }
    }
}
