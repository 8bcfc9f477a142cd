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
import io.quarkiverse.ratelimit.test.fixtures.CheckedLog;
import io.quarkus.test.junit.QuarkusTest;

/**
 * Where a proxy is not configured, its address must not exempt all callers behind it. The only warning is that its header is
 * ignored, unless another test of the application has caused it.
 */
@QuarkusTest
class ExemptionsBehindUnknownProxyTest {

    @RegisterExtension
    static final CheckedLog LOG = new CheckedLog(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
            && record.getLoggerName().equals("io.quarkiverse.ratelimit"),
            records -> assertThat(records)
                    .allMatch(record -> record.getMessage().startsWith("A request came with X-Forwarded-For")));

    @Test
    void forwardedRequestsAreLimited() {
        assertThat(get("/exempt-behind-unknown-proxy").header("RateLimit")).isNull();
        assertThat(given().header("X-Forwarded-For", "127.0.0.1").get("/exempt-behind-unknown-proxy").header("RateLimit"))
                .contains("r=2");
        assertThat(given().header("Forwarded", "for=127.0.0.1").get("/exempt-behind-unknown-proxy").header("RateLimit"))
                .contains("r=1");
        assertThat(get("/exempt-behind-unknown-proxy").header("RateLimit")).isNull();
    }

    @Path("/exempt-behind-unknown-proxy")
    public static class Resource {

        @GET
        @RateLimited("exempt-local")
        public String address() {
            return "ok";
        }
    }
}
