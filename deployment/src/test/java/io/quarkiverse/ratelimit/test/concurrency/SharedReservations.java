package io.quarkiverse.ratelimit.test.concurrency;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Base64;
import java.util.Map;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.vertx.core.json.JsonObject;

/** A reservation can be ended by its id: the first end counts, in every store. */
abstract class SharedReservations {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    RateLimiters limiters;

    @Inject
    LimiterClock clock;

    @Test
    void settlingByIdRefundsTheRestOnce() {
        RateLimiter alice = limiters.create("tokens", Limit.tokenBucket(100).refill(1, Duration.ofDays(1))).forKey("alice");
        RateLimitReservation reservation = alice.reserve(50);
        String id = reservation.id();

        assertThat(alice.reservation(id).decision()).returns(true, RateLimitDecision::allowed)
                .returns(50L, RateLimitDecision::granted);
        assertThat(alice.reservation(id).settle(20)).returns(20L, RateLimitDecision::granted)
                .returns(80L, RateLimitDecision::remaining);
        alice.reservation(id).cancel();
        assertThat(alice.reservation(id).settle(70)).returns(0L, RateLimitDecision::granted)
                .returns(80L, RateLimitDecision::remaining);
        assertThat(reservation.settle(90)).returns(0L, RateLimitDecision::granted)
                .returns(80L, RateLimitDecision::remaining);
        reservation.cancel();
        assertThat(alice.peek().remaining()).isEqualTo(80);
    }

    @Test
    void settlingAtTheOriginEndsItForOthers() {
        RateLimiter bob = limiters.create("tokens", Limit.tokenBucket(100).refill(1, Duration.ofDays(1))).forKey("bob");
        RateLimitReservation reservation = bob.reserve(50);
        String id = reservation.id();

        assertThat(reservation.settle(60).remaining()).isEqualTo(40);
        bob.reservation(id).settle(100);
        bob.reservation(id).cancel();
        assertThat(bob.peek().remaining()).isEqualTo(40);
    }

    @Test
    void decisionIsRefundedOnceByWhateverObject() {
        RateLimiter frank = limiters.create("tokens", Limit.tokenBucket(100).refill(1, Duration.ofDays(1))).forKey("frank");
        RateLimitReservation reservation = frank.reserve(20);
        String id = reservation.id();
        assertThat(frank.tryAcquire(50).remaining()).isEqualTo(30);

        frank.refund(frank.reservation(id).decision());
        frank.refund(reservation.decision());
        frank.refund(frank.reservation(id).decision());
        reservation.cancel();

        assertThat(frank.peek().remaining()).isEqualTo(50);
    }

    @Test
    void laterEndsHaveNoEffectAlsoMinutesLater() {
        RateLimiter erin = limiters.create("tokens", Limit.tokenBucket(100).refill(1, Duration.ofDays(1))).forKey("erin");
        String first = erin.reserve(40).id();
        String second = erin.reserve(10).id();
        erin.reservation(first).settle(60);

        clock.advance(Duration.ofMinutes(5));
        erin.reservation(second).settle(10);
        erin.reservation(first).settle(70);
        erin.reservation(first).cancel();

        assertThat(erin.peek().remaining()).isEqualTo(30);
    }

    @Test
    void permitsReleasedByIdAreNotRenewed() {
        RateLimiter carol = limiters.create("work", Map.of("running", Limit.concurrency(1).leaseTime(Duration.ofSeconds(1)),
                "daily", Limit.fixedWindow(10, Duration.ofDays(100)))).forKey("carol");
        String id = carol.reserve(1).id();
        await().during(Duration.ofMillis(1500)).atMost(SOON).until(() -> !carol.peek().allowed());

        carol.reservation(id).settle(3);

        await().during(Duration.ofMillis(1500)).atMost(SOON).until(() -> carol.peek().allowed());
        assertThat(carol.peek().limits()).filteredOn(limit -> limit.limit().equals("daily"))
                .allMatch(limit -> limit.remaining() == 7);
    }

    @Test
    void denialsCannotBeEnded() {
        RateLimiter dave = limiters.create("tokens", Limit.tokenBucket(100).refill(1, Duration.ofDays(1))).forKey("dave");
        RateLimitReservation denied = dave.reserve(101);

        assertThat(dave.reservation(denied.id()).decision().denialReason()).contains(DenialReason.COST_ABOVE_CAPACITY);
        dave.reservation(denied.id()).settle(5);
        assertThat(dave.peek().remaining()).isEqualTo(100);
    }

    @Test
    void otherTextsAndReservationsOfOtherPoliciesFail() {
        RateLimiter one = limiters.create("one", Limit.slidingLog(5, Duration.ofHours(1))).forKey("a");
        RateLimiter two = limiters.create("two", Limit.slidingLog(5, Duration.ofHours(1))).forKey("a");
        String id = one.reserve(1).id();

        assertThatThrownBy(() -> two.reservation(id)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("policy one");
        for (String text : new String[] { "", "no id", "e30", id.substring(1), without(id, "policy"), without(id, "key"),
                null }) {
            assertThatThrownBy(() -> one.reservation(text)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("This is not the id of a reservation.");
        }
    }

    private static String without(String id, String property) {
        JsonObject json = new JsonObject(new String(Base64.getUrlDecoder().decode(id), UTF_8));
        json.remove(property);
        return Base64.getUrlEncoder().encodeToString(json.encode().getBytes(UTF_8));
    }
}
