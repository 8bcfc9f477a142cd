package io.quarkiverse.ratelimit.test.key;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** With {@code normalize}, all spellings of a key are one caller, in every way in. */
@QuarkusTest
class NormalizationOfKeysTest {

    private static final String BOB = "b\u00f6b@x.org";
    private static final String[] OTHERS = { "B\u00d6B@X.ORG", " bo\u0308b@x.org ", "\tBO\u0308B@x.org" };

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Inject
    Service service;

    @BeforeEach
    void nothingIsCounted() {
        limiters.get("normalized").forKey(BOB).reset();
        limiters.get("normalized-argument").forKey(BOB).reset();
        limiters.get("normalized-header").forKey(BOB).reset();
    }

    @Test
    void requestsAndCodeCountTogether() {
        int calls = 0;
        for (String other : OTHERS) {
            assertThat(remaining("/normalized/query", other)).isEqualTo(9 - calls++);
            assertThat(limiters.get("normalized").forKey(other).tryAcquire().remaining()).isEqualTo(9 - calls++);
        }
        assertThat(limiters.get("normalized").forKey(BOB).peek().remaining()).isEqualTo(10 - calls);
        assertThat(limiters.get("normalized").forKey("bob@x.org").peek().remaining()).isEqualTo(10);
    }

    @Test
    void headersCountTogetherInBothEncodings() {
        int calls = 0;
        for (String other : OTHERS) {
            assertThat(RawHttp.status("/normalized/header", header(other, UTF_8))).isEqualTo(200);
            assertThat(limiters.get("normalized-header").forKey(other).tryAcquire().remaining()).isEqualTo(8 - calls);
            calls += 2;
        }
        assertThat(RawHttp.status("/normalized/header", header(OTHERS[0], ISO_8859_1))).isEqualTo(200);
        assertThat(limiters.get("normalized-header").forKey(BOB).peek().remaining()).isEqualTo(9 - calls);
    }

    @ParameterizedTest
    @ValueSource(strings = { "z\u00f6e@x.org", "Z\u00d6E@X.org", "zo\u0308e@x.org" })
    void headersWithAnExemptKeyAreNotLimited(String exempt) {
        for (int call = 0; call < 12; call++) {
            assertThat(RawHttp.status("/normalized/header", header(exempt, UTF_8))).isEqualTo(200);
        }
    }

    /** {@link RawHttp} writes each character as one byte. */
    private static String header(String user, Charset encoding) {
        return "X-User: " + new String(user.getBytes(encoding), ISO_8859_1);
    }

    @Test
    void argumentsOfResourcesAndBeansCountTogether() {
        int calls = 0;
        for (String other : OTHERS) {
            assertThat(remaining("/normalized/argument", other)).isEqualTo(9 - calls++);
            service.call(other);
            calls++;
        }
        assertThat(limiters.get("normalized-argument").forKey(BOB).peek().remaining()).isEqualTo(10 - calls);
    }

    @Test
    void administrationFindsTheCallerByAnySpelling() {
        admin.policy("normalized").forKey(OTHERS[0]).override(Limit.tokenBucket(20).refill(20, Duration.ofDays(10)),
                Duration.ofMinutes(1));
        assertThat(limiters.get("normalized").forKey(OTHERS[1]).peek().remaining()).isEqualTo(20);
        admin.policy("normalized").forKey(OTHERS[2]).removeOverride();

        admin.policy("normalized").forKey(OTHERS[1]).block(Duration.ofMinutes(1));
        assertThat(given().queryParam("user", OTHERS[0]).get("/normalized/query").statusCode()).isEqualTo(429);
        admin.policy("normalized").forKey(OTHERS[2]).unblock();
        assertThat(remaining("/normalized/query", OTHERS[0])).isEqualTo(9);
    }

    private static int remaining(String path, String user) {
        return Integer.parseInt(given().queryParam("user", user).get(path).header("X-RateLimit-Remaining"));
    }

    @Path("/normalized")
    public static class Resource {

        @GET
        @Path("query")
        @RateLimited("normalized")
        public String query() {
            return "ok";
        }

        @GET
        @Path("header")
        @RateLimited("normalized-header")
        public String header() {
            return "ok";
        }

        @GET
        @Path("argument")
        @RateLimited("normalized-argument")
        public String argument(@RateLimitKey @QueryParam("user") String user) {
            return user;
        }
    }

    @ApplicationScoped
    public static class Service {

        @RateLimited("normalized-argument")
        void call(@RateLimitKey String user) {
        }
    }
}
