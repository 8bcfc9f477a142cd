package io.quarkiverse.ratelimit.test.authentication;

import static io.quarkiverse.ratelimit.test.authentication.SecuredResource.assertDeniedBySecurity;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

@QuarkusTest
@TestProfile(Profiles.Providers.class)
class LazyAuthenticationTest extends SecuredRequests {

    @Test
    void limitByAddressDoesNotTriggerAuthentication() {
        var stranger = given().auth().preemptive().basic("alice", "wrong").get("/secured/address");

        assertThat(stranger.statusCode()).isEqualTo(200);
        assertThat(left(stranger)).isEqualTo("\"secured-address\";r=2");
    }

    @Test
    void limitByUserTriggersAuthentication() {
        var stranger = given().auth().preemptive().basic("alice", "wrong").get("/secured/open");

        assertDeniedBySecurity(401, stranger);
        assertThat(stranger.header("WWW-Authenticate")).startsWith("basic");
    }
}
