package io.quarkiverse.ratelimit.test.key;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** Forwarding without trusted proxies: Quarkus trusts every sender, and limits trust none. */
@QuarkusTest
@TestProfile(Profiles.Providers.class)
class ForwardingWithoutTrustedProxiesTest {

    @Test
    void requestsAreServedNevertheless() {
        for (int i = 0; i < 3; i++) {
            given().header("X-Forwarded-For", "203.0.113.7").get("/forwarded").then().statusCode(200);
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

    @Path("/forwarded")
    public static class Resource {
        @GET
        @RateLimited("forwarded")
        public String forwarded() {
            return "forwarded";
        }
    }
}
