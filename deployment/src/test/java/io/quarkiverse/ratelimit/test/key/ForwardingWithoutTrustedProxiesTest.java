package io.quarkiverse.ratelimit.test.key;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

/** Forwarding without trusted proxies causes one warning at the start, and one with the first forwarded request. */
class ForwardingWithoutTrustedProxiesTest {

    @RegisterExtension
    static final QuarkusUnitTest TEST = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(WhoResource.class, RawHttp.class, Resource.class))
            .overrideConfigKey("quarkus.http.proxy.proxy-address-forwarding", "true")
            .overrideConfigKey("quarkus.rate-limit.store", "memory")
            .overrideConfigKey("quarkus.rate-limit.policies.any.permits", "100")
            .overrideConfigKey("quarkus.rate-limit.policies.any.period", "1m")
            .overrideConfigKey("quarkus.rate-limit.policies.any.key", "ip")
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getLoggerName().equals("io.quarkiverse.ratelimit"))
            .assertLogRecords(records -> assertThat(records).extracting(record -> record.getMessage()).satisfiesExactly(
                    atStart -> assertThat(atStart).contains("Set quarkus.http.proxy.trusted-proxies"),
                    whenMet -> assertThat(whenMet).contains("callers behind the proxy that sent it share one address")));

    @Test
    void requestsAreServedNevertheless() {
        for (int i = 0; i < 3; i++) {
            given().header("X-Forwarded-For", "203.0.113.7").get("/any").then().statusCode(200);
        }
    }

    @Test
    void callerIsTheConnectionsOtherEnd() {
        assertThat(RawHttp.get("127.0.0.2", "/who", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.2");
        assertThat(RawHttp.get("127.0.0.2", "/who/quarkus", "X-Forwarded-For: 203.0.113.7")).isEqualTo("203.0.113.7");
    }

    @Test
    void forwardedRequestIsUncertain() {
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger", "X-Forwarded-For: 203.0.113.7")).isEqualTo("true");
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger")).isEqualTo("false");
    }

    @Path("/any")
    public static class Resource {
        @GET
        @RateLimited("any")
        public String any() {
            return "any";
        }
    }
}
