package io.quarkiverse.ratelimit.test.authentication;

import static io.quarkiverse.ratelimit.test.authentication.SecuredResource.as;
import static io.quarkiverse.ratelimit.test.authentication.SecuredResource.assertDeniedBySecurity;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;

/** What must hold whenever callers authenticate. Also a limiter in code finds the caller. */
abstract class SecuredRequests {

    @Test
    void unauthenticatedAndForbiddenRequestsCostNothing() {
        assertDeniedBySecurity(401, get("/secured/user"));
        assertDeniedBySecurity(403, as("guest", "/secured/user"));
        assertDeniedBySecurity(401, get("/secured/path"));
        assertDeniedBySecurity(401, get("/secured/address/roles"));
        assertDeniedBySecurity(403, as("guest", "/secured/address/roles"));
        assertDeniedBySecurity(401, given().auth().preemptive().basic("alice", "wrong").get("/secured/address/roles"));

        assertThat(left(as("alice", "/secured/user"))).isEqualTo("\"secured-user\";r=2");
        assertThat(left(as("guest", "/secured/path"))).isEqualTo("\"secured-path\";r=2");
        assertThat(left(as("alice", "/secured/address/roles"))).isEqualTo("\"secured-roles\";r=2");
    }

    @Test
    void everyUserHasACountOfItsOwn() {
        assertThat(left(as("alice", "/secured/open"))).isEqualTo("\"secured-open\";r=2");
        assertThat(left(as("alice", "/secured/open"))).isEqualTo("\"secured-open\";r=1");
        assertThat(left(as("carol", "/secured/open"))).isEqualTo("\"secured-open\";r=2");
        assertThat(left(get("/secured/open"))).isEqualTo("\"secured-open\";r=2");
    }

    @Test
    void usedUpUserIsStillForbiddenWhereHeMayNotGo() {
        for (int call = 1; call <= 4; call++) {
            as("carol", "/secured/path");
        }

        assertThat(as("carol", "/secured/path").statusCode()).isEqualTo(429);
        assertDeniedBySecurity(401, get("/secured/path"));
    }

    @Test
    void limiterFindsTheCaller() {
        assertThat(left(as("alice", "/own"))).isEqualTo("\"secured-own\";r=2");
        for (int peek = 0; peek < 2; peek++) {
            assertThat(as("alice", "/own/limit").asString()).isEqualTo("2 principal=alice");
            assertThat(as("carol", "/own/limit").asString()).isEqualTo("3 principal=carol");
            assertThat(get("/own/limit").asString()).isEqualTo("3 ip=127.0.0.1");
        }
        assertThat(left(as("alice", "/own"))).isEqualTo("\"secured-own\";r=1");
        assertThat(given().auth().preemptive().basic("alice", "wrong").get("/own/limit").statusCode()).isEqualTo(401);
    }

    @Path("/own")
    public static class Own {

        @Inject
        @RateLimitPolicy("secured-own")
        RateLimiter limiter;

        @GET
        @RateLimited("secured-own")
        public String own() {
            return "own";
        }

        @GET
        @Path("limit")
        public String limit() {
            RateLimitDecision decision = limiter.forCaller().peek();
            return decision.remaining() + " " + decision.key();
        }
    }
}
