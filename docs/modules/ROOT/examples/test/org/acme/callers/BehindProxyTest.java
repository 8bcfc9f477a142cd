package org.acme.callers;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import org.acme.ExampleProfile;
import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** The caller is the right-most address that is not a trusted proxy. */
@QuarkusTest
@TestProfile(ExampleProfile.InProduction.class)
class BehindProxyTest extends FreshLimits {

    @Test
    void addressesThatTheCallerMadeUpDoNotCount() {
        assertThat(keyOf("198.51.100.1, 203.0.113.7")).isEqualTo("ip=203.0.113.7");
        assertThat(keyOf("203.0.113.7, 10.1.2.3")).isEqualTo("ip=203.0.113.7");
        assertThat(keyOf("2001:db8:1:2:3:4:5:6")).isEqualTo("ip=2001:db8:1:2::/64");
    }

    @Test
    void callersWithoutAddressShareOneCount() {
        assertThat(keyOf("unknown")).isEqualTo("ip!");
    }

    private String keyOf(String forwardedFor) {
        limits.reset();
        given().header("X-Forwarded-For", forwardedFor).get("/quotes").then().statusCode(200);
        return redis.key().keys("*[^:]?").get(0).replaceFirst(".*\\{(.*)}.*", "$1");
    }
}
