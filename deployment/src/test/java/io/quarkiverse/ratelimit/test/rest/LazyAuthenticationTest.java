package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.quarkiverse.ratelimit.test.rest.SecuredResource.as;
import static io.quarkiverse.ratelimit.test.rest.SecuredResource.assertDeniedBySecurity;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class LazyAuthenticationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = SecuredResource.application(false);

    @Test
    void unauthenticatedAndForbiddenRequestsCostNothing() {
        assertDeniedBySecurity(401, get("/secured/user"));
        assertDeniedBySecurity(403, as("bob", "/secured/user"));
        assertDeniedBySecurity(401, get("/secured/path"));
        assertDeniedBySecurity(401, get("/secured/address/roles"));
        assertDeniedBySecurity(403, as("bob", "/secured/address/roles"));

        assertThat(left(as("alice", "/secured/user"))).isEqualTo("\"user\";r=2");
        assertThat(left(as("bob", "/secured/path"))).isEqualTo("\"path\";r=2");
    }

    @Test
    void everyUserHasACountOfItsOwn() {
        assertThat(left(as("alice", "/secured/open"))).isEqualTo("\"open\";r=2");
        assertThat(left(as("alice", "/secured/open"))).isEqualTo("\"open\";r=1");
        assertThat(left(as("carol", "/secured/open"))).isEqualTo("\"open\";r=2");
        assertThat(left(get("/secured/open"))).isEqualTo("\"open\";r=2");
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
    void limitByAddressDoesNotTriggerAuthentication() {
        var stranger = given().auth().preemptive().basic("alice", "wrong").get("/secured/address");

        assertThat(stranger.statusCode()).isEqualTo(200);
        assertThat(left(stranger)).isEqualTo("\"address\";r=2");
    }

    @Test
    void limitByUserTriggersAuthentication() {
        var stranger = given().auth().preemptive().basic("alice", "wrong").get("/secured/open");

        assertDeniedBySecurity(401, stranger);
        assertThat(stranger.header("WWW-Authenticate")).startsWith("basic");
    }
}
