package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.quarkiverse.ratelimit.test.rest.SecuredResource.as;
import static io.quarkiverse.ratelimit.test.rest.SecuredResource.assertDeniedBySecurity;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class ProactiveAuthenticationTest {

    @Test
    void unauthenticatedAndForbiddenRequestsCostNothing() {
        assertDeniedBySecurity(401, get("/secured/user"));
        assertDeniedBySecurity(403, as("guest", "/secured/user"));
        assertDeniedBySecurity(401, get("/secured/path"));
        assertDeniedBySecurity(401, get("/secured/address/roles"));
        assertDeniedBySecurity(403, as("guest", "/secured/address/roles"));

        assertThat(left(as("alice", "/secured/user"))).isEqualTo("\"secured-user\";r=2");
        assertThat(left(as("guest", "/secured/path"))).isEqualTo("\"secured-path\";r=2");
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
    void wrongPasswordIsDeniedBeforeTheLimit() {
        var stranger = given().auth().preemptive().basic("alice", "wrong");

        assertDeniedBySecurity(401, stranger.get("/secured/address"));
        assertDeniedBySecurity(401, stranger.get("/secured/open"));
    }
}
