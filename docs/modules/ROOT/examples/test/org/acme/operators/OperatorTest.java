package org.acme.operators;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;

import java.time.Duration;
import java.util.Map;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;

/** Overrides take effect with the next call. */
@QuarkusTest
class OperatorTest extends FreshLimits {

    private static final Limit CONFIGURED = Limit.tokenBucket(2).refill(2, Duration.ofHours(1));

    @Inject
    Operator operator;

    @Inject
    RateLimitAdmin admin;

    @AfterEach
    void removeOverrides() {
        operator.asConfigured();
        admin.policy("partners").forKey("acme").removeOverride();
    }

    @Test
    void permitsInUseAreCarriedOver() {
        left("acme", "1");
        left("acme", "0");
        call("acme").statusCode(429);

        operator.moreForEverybody();

        left("acme", "17");
        assertThat(operator.inForce()).isEqualTo(Map.of("default", Limit.tokenBucket(20).refill(20, Duration.ofHours(1))));
        operator.asConfigured();
        call("acme").statusCode(429);
        assertThat(operator.inForce()).isEqualTo(Map.of("default", CONFIGURED));
    }

    @Test
    void overrideForOneCallerWins() {
        operator.moreForEverybody();
        operator.moreFor("acme");

        left("acme", "99");
        left("other", "19");
        assertThat(admin.policy("partners").forKey("acme").limits().get("default").permits()).isEqualTo(100);
    }

    @Test
    void mistakesAreReported() {
        assertThatThrownBy(() -> admin.policy("parners").override(CONFIGURED, Duration.ofHours(1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("No policy has the name \"parners\"");
        assertThatThrownBy(() -> admin.policy("partners").override(CONFIGURED, Duration.ofMillis(1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 s to 366 days");
        assertThatThrownBy(() -> admin.policy("search").override(CONFIGURED, Duration.ofHours(1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("[burst, daily]");
    }

    private static void left(String partner, String remaining) {
        call(partner).statusCode(200).header("X-RateLimit-Remaining", is(remaining));
    }

    private static ValidatableResponse call(String partner) {
        return given().header("X-Partner", partner).get("/partners").then();
    }
}
