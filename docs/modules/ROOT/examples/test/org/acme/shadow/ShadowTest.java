package org.acme.shadow;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.nullValue;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

/** A shadow policy counts and admits. */
@QuarkusTest
class ShadowTest extends FreshLimits {

    @Test
    void callsBeyondTheLimitAreAdmittedWithoutHeaders() {
        for (int call = 1; call <= 5; call++) {
            when().get("/trial").then().statusCode(200).header("RateLimit", nullValue())
                    .header("X-RateLimit-Limit", nullValue());
        }

        assertThat(redis.key().keys("*")).containsExactly("rate-limit:{ip=127.0.0.1}:trial:default");
    }
}
