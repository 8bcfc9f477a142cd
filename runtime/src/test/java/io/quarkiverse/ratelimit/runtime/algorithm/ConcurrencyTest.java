package io.quarkiverse.ratelimit.runtime.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.BothStores;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.BothStores.Acquired;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** No more calls run at the same time than there are permits, in Redis and in memory alike. */
class ConcurrencyTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MICROSECOND = Duration.ofNanos(1_000);
    private static final Limit TWO = Limit.concurrency(2).leaseTime(LEASE);
    private static final Limit TEN = Limit.concurrency(10).leaseTime(LEASE);

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
    void exactlyThePermitsCanBeHeldAtOnce() {
        assertThat(acquire(TWO, 1, 1).state()).isEqualTo(state(TWO, true, 1, Duration.ZERO));
        assertThat(acquire(TWO, 2, 1).state()).isEqualTo(state(TWO, true, 0, Duration.ZERO));

        assertThat(acquire(TWO, 3, 1).state()).isEqualTo(state(TWO, false, 0, Duration.ofSeconds(1)));
        assertThat(PolicyLimit.ruleOf(TWO).fillTime(0)).isZero();
    }

    @Test
    void aCallThatEndsMakesRoomForAnother() {
        Acquired first = acquire(TWO, 1, 1);
        acquire(TWO, 2, 1);

        stores.refund(first, 1);

        assertThat(acquire(TWO, 3, 1).state().allowed()).isTrue();
        assertThat(acquire(TWO, 4, 1).state().allowed()).isFalse();
    }

    @Test
    void whatIsRefundedTwiceIsOnce() {
        Acquired first = acquire(TWO, 1, 1);
        acquire(TWO, 2, 1);

        stores.refund(first, 1);
        stores.refund(first, 1);

        assertThat(acquire(TWO, 3, 1).state()).isEqualTo(state(TWO, true, 0, Duration.ZERO));
    }

    @Test
    void permitsOfACrashedInstanceComeBackAfterTheLease() {
        acquire(TWO, 1, 2);

        stores.pass(LEASE.minus(MICROSECOND));
        assertThat(acquire(TWO, 2, 1).state().allowed()).isFalse();
        stores.pass(MICROSECOND);
        assertThat(acquire(TWO, 2, 2).state()).isEqualTo(state(TWO, true, 0, Duration.ZERO));
    }

    @Test
    void aCallThatIsRenewedKeepsItsPermitsAndIsCountedOnce() {
        acquire(TWO, 1, 2);
        for (int i = 0; i < 5; i++) {
            stores.pass(LEASE.dividedBy(2));
            assertThat(renew(TWO, 1, 2).state()).isEqualTo(state(TWO, true, 0, Duration.ZERO));
        }

        assertThat(stored()).isEqualTo(2);
        assertThat(acquire(TWO, 2, 1).state().allowed()).isFalse();
        stores.pass(LEASE);
        assertThat(acquire(TWO, 2, 2).state().allowed()).isTrue();
    }

    @Test
    void aCallThatIsRenewedTooLateIsCountedBesideThoseThatCameInstead() {
        acquire(TWO, 1, 2);
        stores.pass(LEASE);
        Acquired instead = acquire(TWO, 2, 2);

        assertThat(renew(TWO, 1, 2).state()).isEqualTo(state(TWO, true, 0, Duration.ZERO));

        stores.refund(instead, 2);
        assertThat(acquire(TWO, 3, 1).state()).isEqualTo(state(TWO, false, 0, Duration.ofSeconds(1)));
    }

    @Test
    void repeatedCallIsCountedOnce() {
        acquire(TEN, 1, 4);

        assertThat(acquire(TEN, 1, 4).state().remaining()).isEqualTo(6);
        assertThat(acquire(TEN, 1, 10).state()).isEqualTo(state(TEN, true, 0, Duration.ZERO));
    }

    @Test
    void asManyAsThereAre() {
        acquire(TEN, 1, 7);

        Acquired rest = stores.decide(TEN, new PermitRequest(5, OperationKind.ACQUIRE_UP_TO, 2));

        assertThat(rest.state()).isEqualTo(state(TEN, true, 0, Duration.ZERO));
        assertThat(stored()).isEqualTo(10);
        assertThat(stores.decide(TEN, new PermitRequest(5, OperationKind.ACQUIRE_UP_TO, 3)).state())
                .isEqualTo(state(TEN, false, 0, Duration.ofSeconds(1)));
    }

    @Test
    void aPartIsRefundedAndTheRestCanBeRenewed() {
        Acquired five = acquire(TEN, 1, 5);

        stores.refund(five, 3);
        assertThat(stores.peek(TEN).remaining()).isEqualTo(8);
        assertThat(renew(TEN, 1, 2).state().remaining()).isEqualTo(8);
        stores.refund(five, 5);
        assertThat(stores.peek(TEN).remaining()).isEqualTo(10);
    }

    @Test
    void peeksAndDeniedCallsHoldNothing() {
        stores.decide(TWO, new PermitRequest(1, OperationKind.PEEK, 1));
        assertThat(acquire(TWO, 1, 3).state()).isEqualTo(state(TWO, false, 2, Duration.ZERO));
        assertThat(acquire(TWO, 2, 1_000_000_000).state()).isEqualTo(state(TWO, false, 2, Duration.ZERO));
        assertThat(exists()).isFalse();

        acquire(TWO, 1, 1);
        acquire(TWO, 2, 2);
        assertThat(stored()).isOne();
    }

    @Test
    void otherLimitCountsHeldPermits() {
        acquire(TWO, 1, 2);
        assertThat(acquire(TEN, 2, 3).state().remaining()).isEqualTo(5);

        assertThat(stores.peek(TWO)).isEqualTo(state(TWO, false, 0, Duration.ofSeconds(1)));
        assertThat(renew(TWO, 2, 3).state()).isEqualTo(state(TWO, true, 0, Duration.ZERO));
        assertThat(stores.peek(TEN).remaining()).isEqualTo(5);
    }

    @Test
    void aShorterLeaseLeavesOthersTheirs() {
        acquire(TEN, 1, 1);
        acquire(TEN.leaseTime(Duration.ofSeconds(1)), 2, 1);

        stores.pass(Duration.ofSeconds(1));
        assertThat(acquire(TEN.leaseTime(Duration.ofSeconds(1)), 3, 1).state().remaining()).isEqualTo(8);
        stores.pass(LEASE.minusSeconds(1).minus(MICROSECOND));
        assertThat(stores.peek(TEN).remaining()).isEqualTo(9);
        stores.pass(MICROSECOND);
        assertThat(stores.peek(TEN).remaining()).isEqualTo(10);
    }

    @Test
    void manyPermitsAtOnce() {
        Limit many = Limit.concurrency(10_000);
        Acquired most = acquire(many, 1, 9_999);

        assertThat(acquire(many, 2, 2).state().allowed()).isFalse();
        assertThat(acquire(many, 3, 1).state()).isEqualTo(state(many, true, 0, Duration.ZERO));
        stores.refund(most, 9_999);
        assertThat(stores.peek(many).remaining()).isEqualTo(9_999);
    }

    @ParameterizedTest
    @ValueSource(strings = { "2001-02-03T04:05:06Z", "2026-11-20T11:00:00Z", "2026-11-20T11:59:59.999999Z" })
    void aClockThatJumpsBackFreesNothingAndShutsOutForTheLeaseAtMost(String before) {
        acquire(TWO, 1, 2);
        stores.at(before);

        assertThat(acquire(TWO, 2, 1).state().allowed()).isFalse();
        stores.pass(LEASE.minus(MICROSECOND));
        assertThat(acquire(TWO, 2, 1).state().allowed()).isFalse();
        stores.pass(MICROSECOND);
        assertThat(acquire(TWO, 2, 2).state().allowed()).isTrue();
    }

    @Test
    void aCallThatIsAllowedAfterTheClockHasJumpedBackBringsTheOthersForwardToo() {
        acquire(TEN, 1, 3);
        stores.pass(Duration.ofHours(-1));
        assertThat(acquire(TEN, 2, 1).state().remaining()).isEqualTo(6);
        stores.pass(LEASE.minus(MICROSECOND));
        assertThat(stores.peek(TEN).remaining()).isEqualTo(6);
        stores.pass(MICROSECOND);
        assertThat(stores.peek(TEN).remaining()).isEqualTo(10);
    }

    @Test
    void afterTheClockHasJumpedBackEachPermitComesBackAfterItsOwnLease() {
        acquire(TEN, 1, 1);
        acquire(TEN.leaseTime(Duration.ofHours(2)), 2, 1);
        acquire(TEN.leaseTime(Duration.ofSeconds(1)), 3, 1);
        stores.pass(Duration.ofHours(-1));
        assertThat(acquire(TEN.leaseTime(Duration.ofMinutes(5)), 4, 8).state().allowed()).isFalse();

        stores.pass(Duration.ofSeconds(1));
        assertThat(stores.peek(TEN).remaining()).isEqualTo(8);
        stores.pass(LEASE.minusSeconds(1));
        assertThat(stores.peek(TEN).remaining()).isEqualTo(9);
        stores.pass(Duration.ofHours(2).minus(LEASE).minus(MICROSECOND));
        assertThat(stores.peek(TEN).remaining()).isEqualTo(9);
        stores.pass(MICROSECOND);
        assertThat(stores.peek(TEN).remaining()).isEqualTo(10);
    }

    @Test
    void aKeyLivesNoLongerThanItsPermitsAfterTheClockHasJumpedBack() {
        acquire(TEN, 1, 2);
        stores.pass(Duration.ofHours(-1));
        acquire(TEN, 2, 1);

        assertThat(REDIS.send(Command.PTTL, stores.key()).toLong() - FrozenRedis.HOUR_MILLIS)
                .isBetween(0L, LEASE.toMillis() + 1);
    }

    @Test
    void aKeyLivesNoLongerThanItsPermitsAlsoIfOthersAreReleasedAfterTheClockHasJumpedBack() {
        acquire(TEN, 1, 2);
        Acquired released = acquire(TEN, 2, 1);
        stores.pass(Duration.ofHours(-1));
        stores.refund(released, 1);

        assertThat(REDIS.send(Command.PTTL, stores.key()).toLong() - FrozenRedis.HOUR_MILLIS)
                .isBetween(0L, LEASE.toMillis() + 1);
    }

    /** Calls that run are renewed three times per lease, others crash, and the clock jumps back now and then. */
    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    void noMoreRunThanThereArePermitsAndCrashedOnesComeBackWithinTheLeaseWhereverTheClockJumps(long seed) {
        Random random = new Random(seed);
        Duration tick = LEASE.dividedBy(6);
        Map<Acquired, Integer> running = new LinkedHashMap<>();
        int crashedOrJumped = 0;
        for (int step = 0; step < 1_500; step++) {
            stores.pass(tick);
            if (random.nextInt(20) == 0) {
                stores.pass(Duration.ofMillis(-random.nextInt(7_200_000)));
                crashedOrJumped = step;
            }
            for (Map.Entry<Acquired, Integer> call : running.entrySet()) {
                if ((step - call.getValue()) % 2 == 0) {
                    renew(TEN, call.getKey().id(), 2);
                }
            }
            if (random.nextBoolean() && !running.isEmpty()) {
                Acquired ended = running.keySet().iterator().next();
                running.remove(ended);
                if (random.nextInt(3) == 0) {
                    crashedOrJumped = step;
                } else {
                    stores.refund(ended, 2);
                }
            }
            Acquired acquired = acquire(TEN, step + 1, 2);
            if (acquired.state().allowed()) {
                running.put(acquired, step);
            }
            assertThat(running.size() * 2).as("step %d", step).isLessThanOrEqualTo(10);
            if (step - crashedOrJumped > 6) {
                assertThat(stores.peek(TEN).remaining()).as("step %d", step).isEqualTo(10 - running.size() * 2);
            }
        }
    }

    @Test
    void aCallThatIsRenewedAfterTheClockHasJumpedBackHasItsOwnLease() {
        acquire(TWO, 1, 2);
        stores.at("2001-02-03T04:05:06Z");
        renew(TWO, 1, 2);

        stores.pass(LEASE);
        assertThat(acquire(TWO, 2, 2).state().allowed()).isTrue();
    }

    @Test
    void nothingIsLeftOnceAllIsRefunded() {
        Acquired first = acquire(TWO, 1, 1);
        Acquired second = acquire(TWO, 2, 1);

        stores.refund(first, 1);
        assertThat(exists()).isTrue();
        stores.refund(second, 1);
        assertThat(exists()).isFalse();
    }

    /** Repeated calls: the replies of both stores are always equal, as {@link BothStores} requires. */
    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    void fewCallsAcquireRenewAndRefundAtRandom(long seed) {
        Random random = new Random(seed);
        Duration[] steps = { Duration.ZERO, Duration.ZERO, MICROSECOND, Duration.ofSeconds(1), Duration.ofSeconds(7), LEASE };
        for (int step = 0; step < 2_000; step++) {
            Limit limit = Limit.concurrency(1 + random.nextInt(12)).leaseTime(Duration.ofSeconds(1 + random.nextInt(60)));
            PermitRequest requested = new PermitRequest(1 + random.nextInt(4), OperationKind.values()[random.nextInt(4)],
                    random.nextInt(6));
            stores.pass(steps[random.nextInt(steps.length)].multipliedBy(random.nextInt(100) == 0 ? -5_000 : 1));

            Acquired decided = stores.decide(limit, requested);
            if (random.nextInt(3) == 0) {
                stores.refund(decided, 1 + random.nextInt(4));
            }
        }
    }

    private Acquired acquire(Limit limit, long id, long cost) {
        return stores.decide(limit, new PermitRequest(cost, OperationKind.ACQUIRE, id));
    }

    private Acquired renew(Limit limit, long id, long cost) {
        return stores.decide(limit, new PermitRequest(cost, OperationKind.CHARGE, id));
    }

    /** How many held permits are stored. */
    private long stored() {
        return REDIS.send(Command.ZCOUNT, stores.key(), 0, "+inf").toLong();
    }

    private boolean exists() {
        return REDIS.send(Command.EXISTS, stores.key()).toInteger() == 1;
    }

    private static LimitState state(Limit limit, boolean allowed, long remaining, Duration retryAfter) {
        return new LimitUsage("l0", limit, allowed, limit.permits(), remaining, Duration.ZERO, retryAfter, Duration.ZERO,
                Duration.ZERO);
    }
}
