package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;

import java.util.List;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.devservices.fixtures.Warnings;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** The contract of the first use: ten a minute for one address, with a Redis that starts by itself. */
class FirstUseTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(QuoteResource.class, Warnings.class))
            .overrideConfigKey("quarkus.rate-limit.timeout", "10s")
            .overrideConfigKey("quarkus.rate-limit.policies.quotes.permits", "10")
            .overrideConfigKey("quarkus.rate-limit.policies.quotes.period", "1m")
            .overrideConfigKey("quarkus.rate-limit.policies.quotes.key", "ip")
            .setLogRecordPredicate(Warnings::include).assertLogRecords(Warnings::assertNone);

    @Inject
    RedisDataSource redis;

    @Test
    void redisStartsWithoutAWarning() {
        redis.value(String.class).set("greeting", "hello");

        assertThat(redis.value(String.class).get("greeting")).isEqualTo("hello");
    }

    @Test
    void eleventhCallInARowIsDenied() {
        for (int call = 1; call <= 10; call++) {
            when().get("/quotes").then().statusCode(200)
                    .header("RateLimit-Policy", is("\"quotes\";q=10;w=60"))
                    .header("RateLimit", matchesPattern("\"quotes\";r=" + (10 - call) + ";t=[1-6]"))
                    .header("X-RateLimit-Limit", is("10"))
                    .header("X-RateLimit-Remaining", is("" + (10 - call)));
        }

        when().get("/quotes").then().statusCode(429)
                .header("Retry-After", matchesPattern("[1-6]"))
                .header("Cache-Control", is("no-store"))
                .header("RateLimit", matchesPattern("\"quotes\";r=0;t=[1-6]"))
                .contentType("application/problem+json")
                .body("type", is("https://iana.org/assignments/http-problem-types#quota-exceeded"))
                .body("status", is(429))
                .body("'violated-policies'", is(List.of("quotes")));
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
