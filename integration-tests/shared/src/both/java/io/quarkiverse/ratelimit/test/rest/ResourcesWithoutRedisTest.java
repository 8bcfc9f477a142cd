package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;

@QuarkusTest
@TestProfile(Profiles.WithoutRedis.class)
class ResourcesWithoutRedisTest {

    @AfterAll
    static void oneWarningIsLogged() throws IOException {
        List<String> log = Files.readAllLines(Profiles.WithoutRedis.LOG);
        assertThat(log).noneMatch(line -> line.startsWith("ERROR") || line.startsWith("FATAL"));
        assertThat(log).filteredOn(line -> line.matches("WARN \\S*ratelimit.*")).singleElement().asString()
                .contains("Rate limits are decided by on-redis-failure");
    }

    @Test
    void limitsHoldInMemory() {
        for (int call = 1; call <= 3; call++) {
            assertThat(left(get("/unavailable/local"))).isEqualTo("\"unavailable-local\";r=" + (3 - call));
        }

        Response denied = get("/unavailable/local");

        assertThat(denied.statusCode()).isEqualTo(429);
        Limits.assertRetryAfter(1200, denied);
        assertThat(denied.header("X-RateLimit-Remaining")).isEqualTo("0");
    }

    @Test
    void callsAreAllowedWithoutCounting() {
        for (int call = 1; call <= 5; call++) {
            assertUnlimited(get("/unavailable/allow"));
        }
    }

    @Test
    void callsAreDeniedAsUnavailable() {
        Response denied = get("/unavailable/deny");

        Limits.assertProblem(503, "temporary-reduced-capacity", "Temporary Reduced Capacity", "unavailable-deny", denied);
        assertThat(denied.header("Retry-After")).isEqualTo("1");
        assertThat(left(denied)).isNull();
    }

    @Test
    void onePolicyThatDeniesIsEnough() {
        assertThat(get("/unavailable/mixed").statusCode()).isEqualTo(503);
    }

    @Test
    void countedAndAllowedPoliciesGoTogether() {
        for (int call = 1; call <= 3; call++) {
            assertThat(left(get("/unavailable/counted"))).isEqualTo("\"unavailable-local\";r=" + (3 - call));
        }

        assertThat(get("/unavailable/counted").statusCode()).isEqualTo(429);
    }

    @Test
    void shadowPolicyNeverDenies() {
        assertUnlimited(get("/unavailable/shadow"));
    }

    @Test
    void refundsWhatDoesNotCountInMemory() {
        for (int call = 0; call < 10; call++) {
            assertThat(get("/unavailable/status/200").statusCode()).isEqualTo(200);
        }
        assertThat(get("/unavailable/status/401").statusCode()).isEqualTo(401);
        assertThat(get("/unavailable/status/401").statusCode()).isEqualTo(401);

        assertThat(get("/unavailable/status/200").statusCode()).isEqualTo(429);
    }

    @Test
    void requestBodyArrives() {
        assertThat(given().body("body").post("/unavailable/body").asString()).isEqualTo("body");
    }

    @Path("/unavailable")
    public static class Resource {
        @GET
        @Path("local")
        @RateLimited("unavailable-local")
        public String local() {
            return "ok";
        }

        @GET
        @Path("allow")
        @RateLimited("unavailable-allow")
        public String allow() {
            return "ok";
        }

        @GET
        @Path("deny")
        @RateLimited("unavailable-deny")
        public String deny() {
            return "ok";
        }

        @GET
        @Path("mixed")
        @RateLimited("unavailable-local")
        @RateLimited("unavailable-allow")
        @RateLimited("unavailable-deny")
        public String mixed() {
            return "ok";
        }

        @GET
        @Path("counted")
        @RateLimited("unavailable-allow")
        @RateLimited("unavailable-local")
        public String counted() {
            return "ok";
        }

        @GET
        @Path("shadow")
        @RateLimited("unavailable-shadow")
        public String shadow() {
            return "ok";
        }

        @POST
        @Path("body")
        @RateLimited("unavailable-local")
        public String body(String body) {
            return body;
        }

        @GET
        @Path("status/{status}")
        @RateLimited("unavailable-failures")
        public jakarta.ws.rs.core.Response status(@PathParam("status") int status) {
            return jakarta.ws.rs.core.Response.status(status).entity("text").build();
        }
    }
}
