package io.quarkiverse.ratelimit.test.plans;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

/** Where a proxy is not configured, its address must not exempt all callers behind it. */
class ExemptionsBehindUnknownProxyTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Resource.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.address.key=global
                    quarkus.rate-limit.policies.address.permits=3
                    quarkus.rate-limit.policies.address.period=3h
                    quarkus.rate-limit.policies.address.exempt-ips=127.0.0.0/8
                    """)
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getLoggerName().equals("io.quarkiverse.ratelimit"))
            .assertLogRecords(records -> assertThat(records).singleElement()
                    .matches(record -> record.getMessage().startsWith("A request came with X-Forwarded-For")));

    @Test
    void forwardedRequestsAreLimited() {
        assertThat(get("/address").header("RateLimit")).isNull();
        assertThat(given().header("X-Forwarded-For", "127.0.0.1").get("/address").header("RateLimit")).contains("r=2");
        assertThat(given().header("Forwarded", "for=127.0.0.1").get("/address").header("RateLimit")).contains("r=1");
        assertThat(get("/address").header("RateLimit")).isNull();
    }

    @Path("/address")
    public static class Resource {

        @GET
        @RateLimited("address")
        public String address() {
            return "ok";
        }
    }
}
