package org.acme.outgoing;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.matchesRegex;

import java.time.Duration;

import jakarta.ws.rs.WebApplicationException;

import org.acme.FreshLimits;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

/** A denied call never reaches the bank. */
@QuarkusTest
@QuarkusTestResource(Bank.class)
class OutgoingCallsTest extends FreshLimits {

    @RestClient
    Rates rates;

    @RestClient
    Payments payments;

    @Test
    void callsBeyondTheLimitAreNotSent() {
        int before = requests(rates.of("EUR"));
        rates.history("EUR").await().indefinitely();

        assertThatThrownBy(() -> rates.of("USD")).isInstanceOf(RateLimitExceededException.class);
        assertThatThrownBy(() -> rates.history("USD").await().indefinitely())
                .isInstanceOf(RateLimitExceededException.class);

        limits.reset();
        assertThat(requests(rates.of("EUR"))).isEqualTo(before + 2);
    }

    @Test
    void resourceRespondsWithoutTheBank() {
        for (int call = 1; call <= 3; call++) {
            when().get("/exchange/EUR").then().statusCode(200);
        }

        when().get("/exchange/EUR").then().statusCode(200).body(matchesRegex("unknown for (1\\d|20) s"));
    }

    @Test
    void callWaitsAsLongAsTheBankAsks() {
        assertThatThrownBy(payments::latest).isInstanceOfSatisfying(WebApplicationException.class,
                answer -> assertThat(answer.getResponse().getStatus()).isEqualTo(429));
        long answered = System.nanoTime();

        payments.latest();

        assertThat(Duration.ofNanos(System.nanoTime() - answered)).isGreaterThan(Duration.ofMillis(900));
    }

    private static int requests(String response) {
        return Integer.parseInt(response.substring("request ".length()));
    }
}
