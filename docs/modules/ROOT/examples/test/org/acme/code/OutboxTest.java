package org.acme.code;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.util.List;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkus.test.junit.QuarkusTest;

/** Code acquires, refunds and shows permits. */
@QuarkusTest
class OutboxTest extends FreshLimits {

    @Inject
    Outbox outbox;

    @Inject
    Tenants tenants;

    @Test
    void thirdMailHasToWait() {
        outbox.send("alice", "a");
        assertThat(outbox.send("alice", "b")).isEqualTo("sent b");

        assertThat(outbox.send("alice", "c")).matches("try again in [1-9]\\d? s");
        assertThat(outbox.send("bob", "d")).isEqualTo("sent d");
        assertThat(redis.key().keys("*[^:]?")).containsExactlyInAnyOrder("rate-limit:{key=alice}:outbox:default:tb1",
                "rate-limit:{key=bob}:outbox:default:tb1");
    }

    @Test
    void uncaughtDenialIsA429() {
        given().body("a").post("/outbox/alice").then().statusCode(200).header("RateLimit", nullValue());
        given().body("b").post("/outbox/alice").then().statusCode(200);

        given().body("c").post("/outbox/alice").then().statusCode(429)
                .header("RateLimit", startsWith("\"outbox\";r=0;t="))
                .header("Retry-After", Integer::parseInt, lessThanOrEqualTo(30))
                .body("'violated-policies'", is(List.of("outbox")));
    }

    @Test
    void peekingCostsNothing() {
        when().get("/outbox/alice").then().header("X-RateLimit-Limit", is("2")).header("X-RateLimit-Remaining", is("2"));
        when().get("/outbox/alice").then().header("X-RateLimit-Remaining", is("2"));

        assertThat(redis.key().keys("*[^:]?")).isEmpty();
    }

    @Test
    void mailThatFailsCostsNothing() {
        for (int mail = 1; mail <= 5; mail++) {
            assertThatThrownBy(() -> outbox.sendOrRefund("alice", "")).isInstanceOf(IllegalArgumentException.class);
        }

        outbox.sendOrRefund("alice", "a");
        outbox.sendOrRefund("alice", "b");
        assertThatThrownBy(() -> outbox.sendOrRefund("alice", "c")).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void mailServerPausesOneUser() {
        assertThatThrownBy(() -> outbox.sendOrPause("alice", "a".repeat(1001))).isInstanceOf(MailServer.Busy.class);

        assertThatThrownBy(() -> outbox.sendOrPause("alice", "b")).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial.decision().denialReason()).contains(DenialReason.PAUSED));
        assertThat(outbox.sendOrPause("bob", "c")).isEqualTo("sent c");
    }

    @Test
    void asManyMailsAreSentAsThereArePermits() {
        assertThat(outbox.sendAll("alice", 5)).isEqualTo(2);
        assertThat(outbox.sendAll("alice", 5)).isZero();
    }

    @Test
    void limiterNeedsNoConfiguration() {
        assertThat(tenants.mayImport("acme", "orders")).isTrue();
        assertThat(tenants.mayImport("acme", "orders")).isTrue();

        assertThat(tenants.mayImport("acme", "orders")).isFalse();
        assertThat(tenants.mayImport("acme", "parcels")).isTrue();
        assertThat(redis.key().keys("*[^:]?")).contains("rate-limit:{key=acme|key=orders}:tenants:default:tb1");
    }

    @Test
    void thirdMailFailsWithoutBlocking() {
        outbox.sendLater("alice", "a").await().indefinitely();
        assertThat(outbox.sendLater("alice", "b").await().indefinitely()).isEqualTo("sent b");

        assertThatThrownBy(() -> outbox.sendLater("alice", "c").await().indefinitely())
                .isInstanceOf(RateLimitExceededException.class);
    }
}
