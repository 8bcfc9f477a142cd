package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.UUID;

import jakarta.annotation.security.RolesAllowed;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** A route and the endpoint's annotation are two decisions, and the response has the headers of both. */
@QuarkusTest
class RouteAnnotationsTest {

    @Inject
    @RateLimitPolicy("by-both")
    RateLimiter both;

    private String caller;

    @BeforeEach
    void freshCaller() {
        caller = UUID.randomUUID().toString();
    }

    @Test
    void bothAreCountedAndListed() {
        Response response = get("/different");

        assertThat(left(response)).isEqualTo("\"by-route\";r=5, \"by-method\";r=3");
        assertThat(response.header("RateLimit-Policy")).isEqualTo("\"by-route\";q=6;w=3600, \"by-method\";q=4;w=3600");
        assertThat(response.header("X-RateLimit-Remaining")).isEqualTo("3");
    }

    @Test
    void whatTheRouteChargedStaysChargedWhenTheAnnotationDenies() {
        for (int call = 0; call < 4; call++) {
            assertThat(get("/different").statusCode()).isEqualTo(200);
        }

        Response denied = get("/different");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(left(denied)).isEqualTo("\"by-route\";r=1, \"by-method\";r=0");
        assertThat(denied.header("X-RateLimit-Limit")).isEqualTo("4");
    }

    @Test
    void annotationIsNotReachedWhereTheRouteDenies() {
        for (int call = 0; call < 6; call++) {
            get("/secret");
        }

        assertThat(left(get("/different"))).isEqualTo("\"by-route\";r=0");
        assertThat(left(get("/method"))).isEqualTo("\"by-method\";r=3");
    }

    @Test
    void routesComeBeforeAuthentication() {
        assertThat(get("/secret").statusCode()).isEqualTo(401);
        assertThat(left(get("/secret"))).isEqualTo("\"by-route\";r=4");
    }

    @Test
    void samePolicyWithTheSameKeyIsCountedOnce() {
        Response response = get("/same");

        assertThat(left(response)).isEqualTo("\"by-both\";r=9");
        assertThat(response.header("RateLimit-Policy")).isEqualTo("\"by-both\";q=10;w=3600");
        assertThat(left(get("/same"))).isEqualTo("\"by-both\";r=8");
    }

    @Test
    void whatTheRouteChargedStaysChargedWhenAnotherPolicyDenies() {
        for (int call = 0; call < 4; call++) {
            get("/method");
        }

        assertThat(get("/same-and-another").statusCode()).isEqualTo(429);

        await().during(Duration.ofMillis(200)).atMost(Duration.ofSeconds(10))
                .until(() -> both.forKey(caller).peek().remaining() == 9);
    }

    @Test
    void samePolicyWithAnotherKeyIsCountedForBoth() {
        assertThat(left(given().header("X-Caller", caller).get("/annotated/keyed?key=a"))).isEqualTo("\"by-both\";r=9");
        assertThat(left(given().header("X-Caller", caller).get("/annotated/keyed?key=b"))).isEqualTo("\"by-both\";r=9");
        assertThat(left(get("/same"))).isEqualTo("\"by-both\";r=7");
    }

    private Response get(String path) {
        return given().header("X-Caller", caller).get("/annotated" + path);
    }

    private static String left(Response response) {
        return response.header("RateLimit").replaceAll(";t=\\d+", "");
    }

    @Path("/annotated")
    public static class Api {
        @GET
        @Path("different")
        @RateLimited("by-method")
        public String different() {
            return "done";
        }

        @GET
        @Path("method")
        @RateLimited("by-method")
        public String method() {
            return "done";
        }

        @GET
        @Path("secret")
        @RolesAllowed("admin")
        public String secret() {
            return "done";
        }

        @GET
        @Path("same")
        @RateLimited("by-both")
        public String same() {
            return "done";
        }

        @GET
        @Path("same-and-another")
        @RateLimited("by-both")
        @RateLimited("by-method")
        public String sameAndAnother() {
            return "done";
        }

        @GET
        @Path("keyed")
        @RateLimited("by-both")
        public String keyed(@QueryParam("key") @RateLimitKey String key) {
            return "done";
        }
    }
}
