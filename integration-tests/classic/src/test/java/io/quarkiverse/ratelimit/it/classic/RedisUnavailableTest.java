package io.quarkiverse.ratelimit.it.classic;

import static io.restassured.RestAssured.get;
import static org.hamcrest.Matchers.is;

import java.util.List;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.rest.Limits;
import io.quarkus.test.QuarkusUnitTest;

class RedisUnavailableTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Limits.class, Resource.class))
            .withConfiguration(Limits.threeAnHour("deny", "global") + Limits.threeForEachPath("local") + """
                    quarkus.redis.hosts=redis://127.0.0.1:1
                    quarkus.rate-limit.policies.deny.on-redis-failure=deny
                    """);

    @Test
    void policyThatFailsClosedIsA503() {
        get("/unavailable/deny").then().statusCode(503)
                .contentType("application/problem+json")
                .header("Retry-After", "1")
                .header("Cache-Control", "no-store")
                .body("type", is("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"))
                .body("status", is(503))
                .body("'violated-policies'", is(List.of("deny")));
    }

    @Test
    void fallbackCountsInMemory() {
        Limits.assertCountedOnce("local", "GET", "/unavailable/local");
    }

    @Path("/unavailable")
    public static class Resource {
        @GET
        @Path("deny")
        @RateLimited("deny")
        public String deny() {
            return "ok";
        }

        @GET
        @Path("local")
        @RateLimited("local")
        public String local() {
            return "ok";
        }
    }
}
