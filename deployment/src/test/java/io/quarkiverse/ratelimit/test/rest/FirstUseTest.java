package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.is;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

/** The contract of the first use: ten a minute for one address. */
class FirstUseTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(QuoteResource.class))
            .overrideConfigKey("quarkus.rate-limit.policies.quotes.permits", "10")
            .overrideConfigKey("quarkus.rate-limit.policies.quotes.period", "1m")
            .overrideConfigKey("quarkus.rate-limit.policies.quotes.key", "ip");

    @Test
    void eleventhCallInARowIsRefused() {
        for (int call = 1; call <= 10; call++) {
            when().get("/quotes").then().statusCode(200)
                    .header("RateLimit-Policy", is("\"quotes\";q=10;w=60"))
                    .header("RateLimit", is("\"quotes\";r=" + (10 - call) + ";t=6"))
                    .header("X-RateLimit-Limit", is("10"))
                    .header("X-RateLimit-Remaining", is("" + (10 - call)));
        }

        when().get("/quotes").then().log().all().statusCode(429)
                .header("Retry-After", is("6"))
                .header("Cache-Control", is("no-store"))
                .header("RateLimit", is("\"quotes\";r=0;t=6"))
                .contentType("application/problem+json")
                .body("type", is("https://iana.org/assignments/http-problem-types#quota-exceeded"))
                .body("status", is(429))
                .body("'violated-policies'", is(java.util.List.of("quotes")));
    }

    @Path("/quotes")
    public static class QuoteResource {
        @GET
        @RateLimited("quotes")
        public String quote() {
            return "quote";
        }
    }
}
