package org.acme.logins;

import static io.restassured.RestAssured.given;

import org.acme.ExampleProfile;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** Logins fail closed, so nobody can guess passwords during an outage. */
@QuarkusTest
@TestProfile(ExampleProfile.RedisUnavailable.class)
class SignInWithoutRedisTest {

    @Test
    void loginsAreUnavailable() {
        given().contentType("application/json").body("{\"user\": \"alice\", \"password\": \"secret\"}").post("/sign-in")
                .then().statusCode(503);
    }
}
