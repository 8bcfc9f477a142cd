package io.quarkiverse.ratelimit.runtime.algorithm.window;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneId;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.BothStores;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.BothStores.Acquired;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** Fixed windows count from edge to edge, in Redis and in memory alike. */
class FixedWindowTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit TEN_AN_HOUR = Limit.fixedWindow(10, HOUR);
    private static final Limit TEN_A_SECOND = Limit.fixedWindow(10, Duration.ofSeconds(1));
    private static final Limit TEN_A_DAY = Limit.fixedWindow(10, CalendarPeriod.DAY, ZoneId.of("Europe/Berlin"));

    @RegisterExtension
    static final RealRedis REDIS = RealRedis.withOtherKeys();
    private final BothStores stores = new BothStores(REDIS);

    @BeforeEach
    void noon() {
        stores.at("2026-11-20T12:00:00Z");
    }

    @AfterEach
    void close() {
        stores.close();
    }

    @Test
    void permitsComeBackAllAtOnceWhenTheWindowEnds() {
        stores.at("2026-11-20T12:59:59.999990Z");
        stores.acquire(TEN_AN_HOUR, 9);

        assertThat(stores.acquire(TEN_AN_HOUR, 1)).isEqualTo(new LimitUsage("l0", TEN_AN_HOUR, true, 10, 0, Duration.ZERO,
                Duration.ZERO, Duration.of(10, MICROS), Duration.of(10, MICROS)));
        stores.pass(Duration.of(9, MICROS));
        assertThat(stores.acquire(TEN_AN_HOUR, 1)).isEqualTo(new LimitUsage("l0", TEN_AN_HOUR, false, 10, 0, Duration.ZERO,
                Duration.of(1, MICROS), Duration.of(1, MICROS), Duration.of(1, MICROS)));
        stores.pass(Duration.of(1, MICROS));
        assertThat(stores.acquire(TEN_AN_HOUR, 10)).isEqualTo(new LimitUsage("l0", TEN_AN_HOUR, true, 10, 0, Duration.ZERO,
                Duration.ZERO, HOUR, HOUR));
    }

    @Test
    void anUnusedWindowIsFullAndTooMuchIsNeverAllowed() {
        assertThat(stores.acquire(TEN_AN_HOUR, 11)).isEqualTo(new LimitUsage("l0", TEN_AN_HOUR, false, 10, 10, Duration.ZERO,
                Duration.ZERO, Duration.ZERO, Duration.ZERO));
        assertThat(PolicyLimit.ruleOf(TEN_AN_HOUR).fillTime(0)).isEqualTo(HOUR.toNanos() / 1_000);
    }

    @Test
    void asManyAsThereAre() {
        stores.acquire(TEN_AN_HOUR, 7);

        assertThat(stores.decide(TEN_AN_HOUR, new PermitRequest(5, OperationKind.ACQUIRE_UP_TO, 0)).state())
                .returns(true, LimitState::allowed)
                .returns(0L, LimitState::remaining);
        assertThat(stores.decide(TEN_AN_HOUR, new PermitRequest(5, OperationKind.ACQUIRE_UP_TO, 0)).state())
                .returns(false, LimitState::allowed)
                .returns(HOUR, LimitState::retryAfter);
    }

    @Test
    void debtEndsWithItsWindow() {
        assertThat(stores.decide(TEN_AN_HOUR, new PermitRequest(1_000_000_000, OperationKind.CHARGE, 0)).state())
                .returns(true, LimitState::allowed).returns(0L, LimitState::remaining)
                .returns(HOUR, LimitState::nextPermitAfter);

        stores.pass(HOUR);
        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isEqualTo(10);
    }

    @Test
    void aDayHasAsManyHoursAsTheClockHasInItsZone() {
        stores.at("2025-10-25T22:00:00Z");
        assertThat(stores.acquire(TEN_A_DAY, 1).resetAfter()).isEqualTo(Duration.ofHours(25));
        assertThat(PolicyLimit.ruleOf(TEN_A_DAY).fillTime(1_761_429_600_000_000L))
                .isEqualTo(Duration.ofHours(25).toNanos() / 1_000);

        stores.pass(Duration.ofHours(25).minus(1, MICROS));
        assertThat(stores.acquire(TEN_A_DAY, 1)).returns(8L, LimitState::remaining).returns(Duration.of(1, MICROS),
                LimitState::resetAfter);
        stores.pass(Duration.of(1, MICROS));
        assertThat(stores.acquire(TEN_A_DAY, 1)).returns(9L, LimitState::remaining).returns(Duration.ofHours(24),
                LimitState::resetAfter);
    }

    @Test
    void theServersTimePicksTheCalendarsWindowHoweverFarTheApplicationsIsOff() {
        for (String now : new String[] { "2001-02-03T04:05:06Z", "2071-02-03T04:05:06Z", "2026-11-20T12:00:00Z" }) {
            stores.at(now);

            assertThat(stores.acquire(Limit.fixedWindow(10, CalendarPeriod.MINUTE), 1).allowed()).isTrue();
        }
    }

    @Test
    void whatIsUsedIsCarriedOverIntoWindowsOfAnotherLength() {
        stores.acquire(TEN_AN_HOUR, 4);

        assertThat(stores.peek(Limit.fixedWindow(20, HOUR)).remaining()).isEqualTo(16);
        assertThat(stores.peek(Limit.fixedWindow(3, HOUR)).remaining()).isZero();
        assertThat(stores.peek(TEN_A_SECOND)).returns(6L, LimitState::remaining).returns(Duration.ofSeconds(1),
                LimitState::resetAfter);
        assertThat(stores.acquire(TEN_A_DAY, 1)).returns(5L, LimitState::remaining).returns(Duration.ofHours(11),
                LimitState::resetAfter);
        assertThat(stores.acquire(TEN_AN_HOUR, 1)).returns(4L, LimitState::remaining).returns(HOUR, LimitState::resetAfter);
    }

    @Test
    void carriedOverPermitsEndWithTheNewWindow() {
        stores.acquire(TEN_AN_HOUR, 10);
        assertThat(stores.acquire(TEN_A_SECOND, 1)).returns(false, LimitState::allowed).returns(Duration.ofSeconds(1),
                LimitState::retryAfter);

        stores.pass(Duration.ofSeconds(1));
        assertThat(stores.acquire(TEN_A_SECOND, 10).allowed()).isTrue();
    }

    @Test
    void peekingCarriesNothingOver() {
        stores.acquire(TEN_AN_HOUR, 10);
        stores.peek(TEN_A_SECOND);

        stores.pass(Duration.ofSeconds(1));
        assertThat(stores.acquire(TEN_AN_HOUR, 1).allowed()).isFalse();
    }

    @Test
    void aClockThatJumpsBackGrantsNothingTwiceAndShutsOutForAWindowAtMost() {
        stores.acquire(TEN_AN_HOUR, 10);
        byte[] before = state();
        stores.at("2020-02-02T02:30:00Z");

        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isZero();
        assertThat(state()).isEqualTo(before);
        assertThat(stores.acquire(TEN_AN_HOUR, 1)).returns(false, LimitState::allowed).returns(HOUR, LimitState::retryAfter);
        stores.pass(Duration.ofMinutes(30));
        assertThat(stores.acquire(TEN_AN_HOUR, 1).retryAfter()).isEqualTo(Duration.ofMinutes(30));
        stores.pass(Duration.ofMinutes(30));
        assertThat(stores.acquire(TEN_AN_HOUR, 10).allowed()).isTrue();
    }

    @Test
    void permitsOfAWindowAheadOfTheClockAreRefunded() {
        Acquired before = stores.decide(TEN_AN_HOUR, new PermitRequest(4, OperationKind.ACQUIRE, 0));
        stores.pass(HOUR.negated());
        Acquired after = stores.decide(TEN_AN_HOUR, new PermitRequest(6, OperationKind.ACQUIRE, 0));

        stores.refund(after, 6);
        assertThat(stores.peek(TEN_AN_HOUR)).returns(6L, LimitState::remaining).returns(HOUR, LimitState::resetAfter);
        stores.refund(before, 4);
        assertThat(stores.peek(TEN_AN_HOUR).remaining()).as("acquired at a later time").isEqualTo(6);
        stores.pass(HOUR.minus(1, MICROS));
        assertThat(stores.acquire(TEN_AN_HOUR, 7).allowed()).isFalse();
        stores.pass(Duration.of(1, MICROS));
        assertThat(stores.acquire(TEN_AN_HOUR, 10).allowed()).isTrue();
    }

    @Test
    void aClockThatJumpsBackWithinTheWindowChangesNothing() {
        stores.pass(Duration.ofMinutes(30));
        stores.acquire(TEN_AN_HOUR, 10);
        byte[] before = state();
        stores.pass(Duration.ofMinutes(-20));

        assertThat(stores.acquire(TEN_AN_HOUR, 1).retryAfter()).isEqualTo(Duration.ofMinutes(50));
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void permitsAreRefundedWithinTheirWindow() {
        Acquired three = stores.decide(TEN_AN_HOUR, new PermitRequest(3, OperationKind.ACQUIRE, 0));
        stores.acquire(TEN_AN_HOUR, 7);
        stores.pass(HOUR.minus(1, MICROS));

        stores.refund(three, 2);
        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isEqualTo(2);
        stores.refund(three, 1);
        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isEqualTo(3);
    }

    @Test
    void nothingIsRefundedOnceTheWindowHasPassed() {
        Acquired all = stores.decide(TEN_AN_HOUR, new PermitRequest(10, OperationKind.ACQUIRE, 0));
        stores.pass(HOUR);
        stores.acquire(TEN_AN_HOUR, 4);

        stores.refund(all, 10);

        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isEqualTo(6);
    }

    @Test
    void aKeyIsRemovedOnceAllIsRefunded() {
        Acquired all = stores.decide(TEN_AN_HOUR, new PermitRequest(10, OperationKind.ACQUIRE, 0));
        assertThat(REDIS.send(Command.EXISTS, stores.key()).toInteger()).isOne();

        stores.refund(all, 10);

        assertThat(REDIS.send(Command.EXISTS, stores.key()).toInteger()).isZero();
        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isEqualTo(10);
    }

    @Test
    void whatWasCarriedOverIsRefundedUntilItsOwnWindowEnds() {
        Acquired four = stores.decide(TEN_AN_HOUR, new PermitRequest(4, OperationKind.ACQUIRE, 0));
        stores.acquire(TEN_A_DAY, 1);

        stores.pass(HOUR.minus(1, MICROS));
        stores.refund(four, 3);
        assertThat(stores.peek(TEN_A_DAY).remaining()).isEqualTo(8);
        stores.pass(Duration.of(1, MICROS));
        stores.refund(four, 1);
        assertThat(stores.peek(TEN_A_DAY).remaining()).isEqualTo(8);
    }

    @Test
    void permitsAcquiredBeforeTheClockJumpedBackAreNotRefunded() {
        Acquired four = stores.decide(TEN_AN_HOUR, new PermitRequest(4, OperationKind.ACQUIRE, 0));
        stores.pass(HOUR.negated());
        stores.acquire(TEN_AN_HOUR, 1);

        stores.refund(four, 4);

        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isEqualTo(5);
    }

    @Test
    void permitsOfAnEndedShorterWindowAreNotRefundedToALongerOne() {
        Acquired four = stores.decide(TEN_A_DAY, new PermitRequest(4, OperationKind.ACQUIRE, 0));
        stores.acquire(TEN_A_SECOND, 1);
        stores.pass(Duration.ofSeconds(1));
        stores.acquire(TEN_A_DAY, 6);

        stores.refund(four, 4);

        assertThat(stores.peek(TEN_A_DAY).remaining()).isEqualTo(4);
    }

    @Test
    void permitsAcquiredAfterTheClockJumpedBackAreRefunded() {
        stores.acquire(TEN_AN_HOUR, 4);
        stores.pass(HOUR.negated());
        Acquired three = stores.decide(TEN_AN_HOUR, new PermitRequest(3, OperationKind.ACQUIRE, 0));

        stores.refund(three, 3);

        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isEqualTo(6);
    }

    private byte[] state() {
        return REDIS.send(Command.GET, stores.key()).toBytes();
    }
}
