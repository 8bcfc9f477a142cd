package org.acme.quota;

import static io.restassured.RestAssured.given;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** Customers get one mail per month, at 80 % of their quota. */
@QuarkusTest
class QuotaMailsTest extends FreshLimits {

    @Inject
    RateLimiters limiters;

    @Inject
    Mails mails;

    @Inject
    Event<RateLimitApproached> events;

    private RateLimiter alice;

    @BeforeEach
    void mailsAreSent() {
        mails.start();
        alice = limiters.get("statements").forKey("alice");
    }

    @Test
    void customerIsMailedOncePerMonthAtEightyPercent() {
        alice.tryAcquire(798);
        callAsAlice();
        assertThat(alice.peek().remaining()).isEqualTo(201);

        callAsAlice();

        await().untilAsserted(
                () -> assertThat(mails.sent()).containsExactly("alice: You have used 800 of 1000 statements."));
        limits.advance(Duration.ofDays(31));
        alice.tryAcquire(900);
        await().untilAsserted(() -> assertThat(mails.sent()).hasSize(2).last()
                .isEqualTo("alice: You have used 900 of 1000 statements."));
    }

    @Test
    void manyEventsOnAllInstancesSendOneMail() throws Exception {
        RateLimitDecision decision = alice.tryAcquire(850);

        CompletableFuture.allOf(IntStream.range(0, 20).mapToObj(instance -> fire(decision))
                .toArray(CompletableFuture<?>[]::new)).get(20, SECONDS);

        assertThat(mails.sent()).containsExactly("alice: You have used 850 of 1000 statements.");
    }

    @Test
    void mailThatFailsIsSentByTheNextEvent() throws Exception {
        mails.stop();
        RateLimitDecision decision = alice.tryAcquire(700);
        assertThatThrownBy(() -> fire(decision).get(20, SECONDS)).hasRootCauseMessage("no mail can be sent");

        mails.start();
        fire(decision).get(20, SECONDS);

        assertThat(mails.sent()).hasSize(1);
    }

    /** The event that another instance, or this one in another minute, fires. */
    private CompletableFuture<?> fire(RateLimitDecision decision) {
        return events.fireAsync(new RateLimitApproached(decision, List.copyOf(decision.limits()))).toCompletableFuture();
    }

    private static void callAsAlice() {
        given().auth().preemptive().basic("alice", "alice").get("/statements").then().statusCode(200);
    }
}
