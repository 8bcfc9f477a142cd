package io.quarkiverse.ratelimit.test.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** Code holds permits of concurrency by reserving them. */
@QuarkusTest
class ConcurrencyReservationsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration PERIOD = Duration.ofDays(100);

    @Inject
    RateLimiters limiters;

    @Test
    void reservationsHoldPermitsUntilTheyEnd() {
        RateLimiter limiter = limiters.create("three", Limit.concurrency(3));
        RateLimitReservation two = limiter.forKey("a").reserve(2);
        RateLimitReservation one = limiter.forKey("a").reserve(1);

        assertThat(two.decision()).returns(2L, RateLimitDecision::granted).returns(1L, RateLimitDecision::remaining);
        assertThat(limiter.forKey("a").reserve(1).decision()).returns(false, RateLimitDecision::allowed)
                .returns(Duration.ofSeconds(1), RateLimitDecision::retryAfter);
        assertThat(limiter.forKey("b").reserve(4).decision().neverAllowed()).isTrue();

        assertThat(two.settle(7)).returns(7L, RateLimitDecision::granted).returns(2L, RateLimitDecision::remaining);
        two.cancel();
        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(2);
        one.cancel();
        one.settle(1);
        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(3);
    }

    @Test
    void heldPermitsAreRenewed() {
        RateLimiter limiter = limiters.create("renewed", Limit.concurrency(1).leaseTime(Duration.ofMillis(1500)));
        RateLimitReservation held = limiter.forKey("a").reserve(1);

        await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> !limiter.forKey("a").peek().allowed());

        held.cancel();
        assertThat(limiter.forKey("a").peek().allowed()).isTrue();
    }

    @Test
    void permitsCannotBeAcquiredWithoutALease() {
        RateLimiter limiter = limiters.create("held", Limit.concurrency(1));

        assertThatThrownBy(() -> limiter.forKey("a").tryAcquire()).isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("Policy held limits concurrency").hasMessageContaining("reserve");
        assertThatThrownBy(() -> limiter.forKey("a").tryAcquire(1, PERIOD)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> limiter.forKey("a").tryAcquireUpTo(1)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> limiter.forKey("a").charge(1)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(limiter.forKey("a").peek()).returns(true, RateLimitDecision::allowed).returns(1L,
                RateLimitDecision::remaining);
    }

    @Test
    void oneCallHoldsTenThousandPermitsAtMost() {
        RateLimiter limiter = limiters.create("large",
                Map.of("runs", Limit.concurrency(20_000), "rate", Limit.tokenBucket(20_000).refill(20_000, PERIOD)));

        assertThatThrownBy(() -> limiter.forKey("a").reserve(10_001)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Policy large limits concurrency, of which one call can hold 1 to 10000 permits, but the cost is"
                        + " 10001. If a call holds one permit, whatever it costs, set counts=calls on that limit.");
        assertThat(limiter.forKey("a").peek().limits()).extracting("remaining").containsExactly(20_000L, 20_000L);

        RateLimitReservation most = limiter.forKey("a").reserve(10_000);
        assertThat(limiter.forKey("a").peek().limits()).extracting("remaining").containsExactly(10_000L, 10_000L);
        most.cancel();
    }

    @Test
    void bucketBesideItIsChargedTogetherAndNotRefundedWhenTheWorkEnds() {
        RateLimiter limiter = limiters.create("both",
                Map.of("runs", Limit.concurrency(1), "rate", Limit.tokenBucket(3).refill(1, PERIOD)));

        RateLimitReservation first = limiter.forKey("a").reserve(1);
        assertThat(limiter.forKey("a").reserve(1).decision().limit()).isEqualTo("runs");
        assertThat(limiter.forKey("a").peek().limits()).extracting("remaining").containsExactly(2L, 0L);
        first.settle(1);
        assertThat(limiter.forKey("a").peek().limits()).extracting("remaining").containsExactly(2L, 1L);

        limiter.forKey("a").reserve(1).cancel();
        assertThat(limiter.forKey("a").peek().limits()).extracting("remaining").containsExactly(2L, 1L);
        limiter.forKey("a").reserve(1).settle(2);
        assertThat(limiter.forKey("a").peek().limits()).extracting("remaining").containsExactly(0L, 1L);
        assertThat(limiter.forKey("a").reserve(1).decision().limit()).isEqualTo("rate");
        assertThat(limiter.forKey("a").peek().limits()).extracting("remaining").containsExactly(0L, 1L);
    }

    @Test
    void concurrentlyCanceledReservationsRefundEverything() {
        // one that was made just as it was canceled comes back when it would be renewed
        RateLimiter limiter = limiters.create("five-hundred", Limit.concurrency(500).leaseTime(Duration.ofSeconds(3)));

        // a subscriber that got one before it cancels ends it
        IntStream.range(0, 200).parallel().forEach(i -> limiter.reactive().forKey("a").reserve(1).subscribe()
                .with(reservation -> reservation.cancel().subscribe().with(ignored -> {
                })).cancel());

        await().atMost(SOON).until(() -> limiter.forKey("a").peek().remaining() == 500);
    }
}
