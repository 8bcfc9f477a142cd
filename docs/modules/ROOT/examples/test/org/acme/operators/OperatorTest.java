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

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;

/** Limits that are put in force take effect with the next call. */
@QuarkusTest
class OperatorTest extends FreshLimits {

    private static final Limit CONFIGURED = Limit.tokenBucket(2).refill(2, Duration.ofHours(1));

    @Inject
    Operator operator;

    @Inject
    RateLimiters limiters;

    @AfterEach
    void nothingIsOverridden() {
        operator.asConfigured().await().indefinitely();
        limiters.removeOverrideAndAwait("partners", "acme");
    }

    @Test
    void whatIsInUseIsCarriedOver() {
        left("acme", "1");
        left("acme", "0");
        call("acme").statusCode(429);

        operator.moreForEverybody().await().indefinitely();

        left("acme", "17");
        assertThat(operator.inForce()).isEqualTo(Map.of("default", Limit.tokenBucket(20).refill(20, Duration.ofHours(1))));
        operator.asConfigured().await().indefinitely();
        call("acme").statusCode(429);
        assertThat(operator.inForce()).isEqualTo(Map.of("default", CONFIGURED));
    }

    @Test
    void overrideForOneCallerWins() {
        operator.moreForEverybody().await().indefinitely();
        operator.moreFor("acme").await().indefinitely();

        left("acme", "99");
        left("other", "19");
        assertThat(limiters.limits("partners", CallerKey.of("acme")).get("default").permits()).isEqualTo(100);
    }

    @Test
    void mistakesAreTold() {
        assertThatThrownBy(() -> limiters.overrideAndAwait("partner", CONFIGURED, Duration.ofHours(1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("No policy is called \"partner\"");
        assertThatThrownBy(() -> limiters.overrideAndAwait("partners", CONFIGURED, Duration.ofMillis(1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 s to 366 days");
        assertThatThrownBy(() -> limiters.overrideAndAwait("search", CONFIGURED, Duration.ofHours(1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("[burst, daily]");
    }

    private static void left(String partner, String remaining) {
        call(partner).statusCode(200).header("X-RateLimit-Remaining", is(remaining));
    }

    private static ValidatableResponse call(String partner) {
        return given().header("X-Partner", partner).get("/partners").then();
    }
}
