package org.acme.redis;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;

import org.acme.ExampleProfile;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** An unavailable cluster stops neither the start nor the calls. */
@QuarkusTest
@TestProfile(ExampleProfile.ClusterUnavailable.class)
class ClusterUnavailableTest {

    @Inject
    RateLimiters limiters;

    @Test
    void policiesFallBackAsConfigured() {
        when().get("/without-redis/logins").then().statusCode(503);

        assertThat(limiters.get("local").reactive().forKey("203.0.113.7").tryAcquire().await().atMost(Duration.ofSeconds(30))
                .source())
                .isEqualTo(Source.FALLBACK);
    }
}
