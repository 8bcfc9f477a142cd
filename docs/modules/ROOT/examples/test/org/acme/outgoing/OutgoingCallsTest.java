package org.acme.outgoing;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.matchesRegex;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;

import org.acme.FreshLimits;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimiters;
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

    @RestClient
    Models models;

    @RestClient
    Ledger ledger;

    @Inject
    RateLimiters limiters;

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
        long began = System.nanoTime();
        assertThatThrownBy(payments::latest).isInstanceOfSatisfying(WebApplicationException.class,
                answer -> assertThat(answer.getResponse().getStatus()).isEqualTo(429));

        payments.latest();

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(900));
    }

    @Test
    void callsBeyondTwoPerSecondWaitUpToThreeSeconds() {
        limiters.get("ledger").charge(4);
        assertThat(limiters.get("ledger").tryAcquire().delay()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(2));

        limiters.get("ledger").charge(100);

        assertThatThrownBy(ledger::entries).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial.decision().denialReason()).contains(DenialReason.LIMIT_REACHED));
    }

    @Test
    void callThatWaitsIsDeniedIfALongPauseBegins() {
        limiters.get("ledger").charge(3);
        CompletableFuture<RateLimitDecision> waiting = limiters.get("ledger").reactive().tryAcquire()
                .subscribeAsCompletionStage();

        limiters.get("ledger").pause(Duration.ofMinutes(10));

        assertThat(waiting.join().denialReason()).contains(DenialReason.PAUSED);
    }

    @Test
    void serviceThatAsksForALongPauseIsNotCalled() {
        assertThatThrownBy(ledger::entries).isInstanceOfSatisfying(WebApplicationException.class,
                response -> assertThat(response.getResponse().getStatus()).isEqualTo(429));

        assertThatThrownBy(ledger::entries).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial.decision().denialReason()).contains(DenialReason.PAUSED));
    }

    @Test
    void calledServicePausesByItsOwnHeaders() {
        assertThatThrownBy(models::list).isInstanceOf(WebApplicationException.class);

        assertThatThrownBy(models::list).isInstanceOfSatisfying(RateLimitExceededException.class, denial -> {
            assertThat(denial.decision().denialReason()).contains(DenialReason.PAUSED);
            assertThat(denial.decision().retryAfter()).isBetween(Duration.ofMinutes(9), Duration.ofSeconds(602));
        });
    }

    @ParameterizedTest
    @CsvSource({ "retry-after-ms=1234, PT1.234S",
            "x-ratelimit-remaining=0;x-ratelimit-reset=1795953660, PT1M",
            "x-ratelimit-remaining=1;x-ratelimit-reset=1795953660, PT0S",
            "x-ratelimit-remaining-requests=0;x-ratelimit-reset-requests=6m0s, PT6M",
            "x-ratelimit-remaining-tokens=0;x-ratelimit-reset-tokens=20ms, PT0.02S",
            "anthropic-ratelimit-input-tokens-remaining=0;anthropic-ratelimit-input-tokens-reset=2026-11-29T12:00:30Z, PT30S",
            "retry-after-ms=soon, PT0S",
            "x-ratelimit-remaining=0, PT0S",
            "x-ratelimit-remaining-tokens=0;x-ratelimit-reset-tokens=later, PT0S",
            "anthropic-ratelimit-input-tokens-remaining=0;anthropic-ratelimit-input-tokens-reset=30, PT0S",
            "content-length=0, PT0S" })
    void headersOfServicesAreUnderstood(String headers, Duration wait) {
        MultivaluedMap<String, String> map = new MultivaluedHashMap<>();
        for (String header : headers.split(";")) {
            map.add(header.split("=")[0], header.split("=")[1]);
        }

        assertThat(PausesOfServices.requestedWait(map, Instant.parse("2026-11-29T12:00:00Z"))).isEqualTo(wait);
    }

    private static int requests(String response) {
        return Integer.parseInt(response.substring("request ".length()));
    }
}
