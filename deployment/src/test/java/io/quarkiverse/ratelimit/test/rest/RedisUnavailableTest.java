package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.jboss.resteasy.reactive.RestResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

class RedisUnavailableTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Limits.class, Resource.class))
            .withConfiguration(Limits.threeAnHour("local", "method") + Limits.threeAnHour("allow", "global")
                    + Limits.threeAnHour("deny", "global") + Limits.threeAnHour("shadow", "global") + """
                            quarkus.redis.hosts=redis://127.0.0.1:1
                            quarkus.rate-limit.policies.allow.on-redis-failure=allow
                            quarkus.rate-limit.policies.deny.on-redis-failure=deny
                            quarkus.rate-limit.policies.shadow.on-redis-failure=deny
                            quarkus.rate-limit.policies.shadow.mode=shadow
                            quarkus.rate-limit.policies.failures.permits=2
                            quarkus.rate-limit.policies.failures.period=10d
                            quarkus.rate-limit.policies.failures.key=global
                            quarkus.rate-limit.policies.failures.count-when=401
                            """)
            .setLogRecordPredicate(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
            .assertLogRecords(RedisUnavailableTest::assertOneWarning);

    private static void assertOneWarning(List<LogRecord> log) {
        assertThat(log).noneMatch(entry -> entry.getLevel().intValue() > Level.WARNING.intValue());
        assertThat(log).filteredOn(entry -> entry.getLoggerName().contains("ratelimit")).singleElement()
                .matches(entry -> entry.getMessage().contains("Rate limits are decided by on-redis-failure"));
    }

    @Test
    void limitsHoldInMemory() {
        for (int call = 1; call <= 3; call++) {
            assertThat(left(get("/unavailable/local"))).isEqualTo("\"local\";r=" + (3 - call));
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

        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        assertThat(denied.header("Retry-After")).isEqualTo("1");
        assertThat(denied.header("Cache-Control")).isEqualTo("no-store");
        assertThat(denied.jsonPath().getString("type"))
                .isEqualTo("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
        assertThat(denied.jsonPath().getInt("status")).isEqualTo(503);
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("deny");
        assertThat(left(denied)).isNull();
    }

    @Test
    void onePolicyThatDeniesIsEnough() {
        assertThat(get("/unavailable/mixed").statusCode()).isEqualTo(503);
    }

    @Test
    void countedAndAllowedPoliciesGoTogether() {
        for (int call = 1; call <= 3; call++) {
            assertThat(left(get("/unavailable/counted"))).isEqualTo("\"local\";r=" + (3 - call));
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
        @RateLimited("local")
        public String local() {
            return "ok";
        }

        @GET
        @Path("allow")
        @RateLimited("allow")
        public String allow() {
            return "ok";
        }

        @GET
        @Path("deny")
        @RateLimited("deny")
        public String deny() {
            return "ok";
        }

        @GET
        @Path("mixed")
        @RateLimited("local")
        @RateLimited("allow")
        @RateLimited("deny")
        public String mixed() {
            return "ok";
        }

        @GET
        @Path("counted")
        @RateLimited("allow")
        @RateLimited("local")
        public String counted() {
            return "ok";
        }

        @GET
        @Path("shadow")
        @RateLimited("shadow")
        public String shadow() {
            return "ok";
        }

        @POST
        @Path("body")
        @RateLimited("local")
        public String body(String body) {
            return body;
        }

        @GET
        @Path("status/{status}")
        @RateLimited("failures")
        public RestResponse<String> status(@PathParam("status") int status) {
            return RestResponse.ResponseBuilder.<String> create(status).entity("text").build();
        }
    }
}
