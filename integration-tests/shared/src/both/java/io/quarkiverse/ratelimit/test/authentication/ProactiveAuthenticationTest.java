package io.quarkiverse.ratelimit.test.authentication;

import static io.quarkiverse.ratelimit.test.authentication.SecuredResource.assertDeniedBySecurity;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class ProactiveAuthenticationTest extends SecuredRequests {

    @Test
    void wrongPasswordIsDeniedBeforeTheLimit() {
        var stranger = given().auth().preemptive().basic("alice", "wrong");

        assertDeniedBySecurity(401, stranger.get("/secured/address"));
        assertDeniedBySecurity(401, stranger.get("/secured/open"));
    }
}
