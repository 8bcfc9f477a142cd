package io.quarkiverse.ratelimit.runtime.engine.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.decision.Herd.Client;
import io.quarkiverse.ratelimit.runtime.policy.RetryAfter;
import io.quarkiverse.ratelimit.runtime.store.RandomLimits;

/** When denied callers are told to call again, with {@code earliest} and {@code in-turn}. */
class TurnsTest {

    private static final Duration SECOND = Duration.ofSeconds(1), MINUTE = Duration.ofMinutes(1);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final Limit FIVE_PER_MINUTE = Limit.tokenBucket(5).refill(5, MINUTE);
    private static final int CLIENTS = 200;
    /** The patience of a client that takes a permit as soon as there is one, in microseconds. */
    private static final long NONE = 50_000;

    /** Ten calls per second. */
    enum TenPerSecond {
        BUCKET(Limit.tokenBucket(10).refill(10, SECOND)),
        LARGE_BUCKET(Limit.tokenBucket(600).refill(600, MINUTE)),
        AT_INTERVALS(Limit.tokenBucket(10).refillInterval(10, SECOND)),
        LEAKY_BUCKET(Limit.leakyBucket(10, SECOND, Duration.ofSeconds(2))),
        WINDOW(Limit.fixedWindow(10, SECOND)),
        LONG_WINDOW(Limit.fixedWindow(100, TEN_SECONDS)),
        CALENDAR(Limit.fixedWindow(600, CalendarPeriod.MINUTE, ZoneOffset.UTC)),
        SLIDING_WINDOW(Limit.slidingWindow(600, MINUTE)),
        LOG(Limit.slidingLog(10, SECOND)),
        LONG_LOG(Limit.slidingLog(100, TEN_SECONDS)),
        SEVERAL(Limit.tokenBucket(20).refill(20, SECOND), Limit.slidingLog(100, TEN_SECONDS));

        private final Limit[] limits;

        TenPerSecond(Limit... limits) {
            this.limits = limits;
        }

        Herd herd(RetryAfter retryAfter) {
            return new Herd(retryAfter, limits).usedUp();
        }

        /** The longest wait if clients queue for the next permit, in seconds. */
        double queueing(int clients, long apart) {
            Herd queue = herd(RetryAfter.EARLIEST);
            for (int i = 0; i < clients; i++) {
                queue.comeImpatient(i * apart, NONE);
            }
            return queue.run().longestWait();
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientsThatObeyComeBackOneAfterTheOther(TenPerSecond limit) {
        for (long apart : new long[] { 0, 1_000 }) {
            Herd herd = limit.herd(RetryAfter.IN_TURN);
            herd.come(CLIENTS, 1, 0, apart);
            herd.run();

            assertThat(herd.requestsEach()).isLessThan(2.1);
            assertThat(herd.longestWait()).isLessThanOrEqualTo(limit.queueing(CLIENTS, apart) + 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void withEarliestTheyComeBackAllAtOnce(TenPerSecond limit) {
        Herd herd = limit.herd(RetryAfter.EARLIEST);
        herd.come(CLIENTS, 1, 0, 0);
        herd.run();

        // where many permits come back together, fewer of them come too early
        boolean together = limit == TenPerSecond.CALENDAR || limit == TenPerSecond.LONG_WINDOW
                || limit == TenPerSecond.LONG_LOG || limit == TenPerSecond.SEVERAL;
        assertThat(herd.requestsEach()).isBetween(together ? 2.0 : 11, 13.0);
    }

    /** It gets the permits that it finds, and no other time than with {@code earliest}. The others have it before them. */
    @ParameterizedTest
    @EnumSource
    void clientThatDoesNotObeyGainsNothing(TenPerSecond limit) {
        Herd earliest = limit.herd(RetryAfter.EARLIEST), inTurn = limit.herd(RetryAfter.IN_TURN);
        double[] waits = { impatientAmong(earliest).waited(), impatientAmong(inTurn).waited() };

        assertThat(waits[1]).isGreaterThanOrEqualTo(waits[0]);
        List<Client> obeying = inTurn.clients().subList(0, CLIENTS);
        assertThat(obeying.stream().mapToInt(Client::requests).average().orElseThrow()).isLessThan(2.1);
        // all but the one whose permit the impatient client took, and so on
        assertThat(obeying.stream().mapToDouble(Client::waited).sorted().limit(CLIENTS - 1).max().orElseThrow())
                .isLessThanOrEqualTo(limit.queueing(CLIENTS + 1, 0) + 1);
    }

    private static Client impatientAmong(Herd herd) {
        herd.come(CLIENTS, 1, 0, 0);
        Client impatient = herd.comeImpatient(0, 100_000);
        herd.run();
        return impatient;
    }

    @Test
    void callThatComesEarlyIsToldALaterTimeAndMovesNobodyBack() {
        Herd herd = new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE).usedUp();
        assertThat(told(herd, 3)).containsExactly(12L, 24L, 36L);
        herd.advance(SECOND);

        // the first one again
        assertThat(told(herd, 1)).containsExactly(47L);
        for (int due = 12; due <= 36; due += 12) {
            herd.advance(Duration.ofSeconds(due == 12 ? 11 : 12));
            assertThat(herd.decide(1).allowed()).isTrue();
        }
    }

    @Test
    void turnsAreNotLaterThanTheLimitFills() {
        assertThat(told(new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE).usedUp(), 8))
                .containsExactly(12L, 24L, 36L, 48L, 60L, 60L, 60L, 60L);
    }

    @Test
    void turnsOfALimitThatFillsSoonerAreNotLaterThan30Seconds() {
        List<Long> told = told(new Herd(RetryAfter.IN_TURN, Limit.tokenBucket(10).refill(10, SECOND)).usedUp(), 320);

        assertThat(told).isSorted().startsWith(1L, 1L).endsWith(30L, 30L);
        assertThat(told.stream().filter(seconds -> seconds == 29)).hasSize(10);
    }

    @Test
    void windowIsSharedByAsManyAsItAllows() {
        Herd herd = new Herd(RetryAfter.IN_TURN, Limit.fixedWindow(3, TEN_SECONDS)).usedUp();

        // the window began 1.4 s ago
        assertThat(told(herd, 9)).containsExactly(9L, 9L, 9L, 19L, 19L, 19L, 29L, 29L, 29L);
        assertThat(told(herd, 1)).containsExactly(30L);
    }

    @Test
    void permitsOfALogComeBackAsTheyWereUsed() {
        Herd herd = new Herd(RetryAfter.IN_TURN, Limit.slidingLog(5, MINUTE));
        for (int call = 0; call < 5; call++) {
            herd.exact(1);
            herd.advance(TEN_SECONDS);
        }

        assertThat(told(herd, 6)).containsExactly(10L, 20L, 30L, 40L, 50L, 60L);
    }

    @Test
    void callThatCostsMoreHasMoreBehindIt() {
        Herd herd = new Herd(RetryAfter.IN_TURN, Limit.tokenBucket(20).refill(20, MINUTE)).usedUp();

        assertThat(herd.decide(5).retryAfter()).isEqualTo(Duration.ofSeconds(15));
        assertThat(herd.decide(1).retryAfter()).isEqualTo(Duration.ofSeconds(18));
        assertThat(herd.decide(10).retryAfter()).isEqualTo(Duration.ofSeconds(48));
    }

    @Test
    void turnEndsWithItsTime() {
        Herd herd = new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE).usedUp();
        assertThat(told(herd, 2)).containsExactly(12L, 24L);
        herd.advance(Duration.ofSeconds(24));
        herd.usedUp();

        assertThat(told(herd, 2)).containsExactly(12L, 24L);
    }

    @Test
    void onlyWaitAndTimesOfTheDenyingLimitChange() {
        Herd herd = new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE, Limit.tokenBucket(100).refill(100, MINUTE)).usedUp();
        RateLimitDecision first = herd.decide(1), exact = herd.exact(1).decisions().get(0), second = herd.decide(1);

        assertThat(first).usingRecursiveComparison().ignoringFields("calculation", "id").isEqualTo(exact);
        assertThat(first.limits()).isEqualTo(exact.limits());
        assertThat(second.retryAfter()).isEqualTo(Duration.ofSeconds(24));
        LimitState denying = second.limits().get(0), other = second.limits().get(1), before = exact.limits().get(0);
        assertThat(denying).isEqualTo(new LimitUsage(before.limit(), FIVE_PER_MINUTE, false, 5, 0, Duration.ZERO,
                Duration.ofSeconds(24), Duration.ofSeconds(24), before.resetAfter().plusSeconds(12)));
        assertThat(other).isEqualTo(exact.limits().get(1));
        assertThat(second.denialReason()).contains(DenialReason.LIMIT_REACHED);
        assertThat(second.decidedAt()).isEqualTo(exact.decidedAt());
    }

    @Test
    void callsThatNoWaitHelpsAreLeftAsTheyAre() {
        Herd herd = new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE).usedUp();
        told(herd, 2);

        assertThat(herd.decide(6).neverAllowed()).isTrue();
        assertThat(told(herd, 1)).containsExactly(36L);
    }

    @Test
    void concurrencyBesideOtherLimitsIsLeftAsItIs() {
        Herd herd = new Herd(RetryAfter.IN_TURN, Limit.concurrency(1), FIVE_PER_MINUTE).usedUp();

        assertThat(told(herd, 8)).containsOnly(1L);
    }

    /** The reply does not contain when each permit of a log comes back. */
    @Test
    void firstDeniedCallIsToldTheExactTime() {
        Herd herd = new Herd(RetryAfter.IN_TURN, Limit.slidingLog(5, MINUTE));
        herd.exact(1);
        herd.advance(Duration.ofSeconds(5));
        herd.exact(3);
        herd.advance(Duration.ofSeconds(40));
        herd.exact(1);

        assertThat(herd.decide(4).retryAfter()).isEqualTo(Duration.ofSeconds(20));
        assertThat(herd.decide(1).retryAfter()).isGreaterThan(Duration.ofSeconds(20));
    }

    @Test
    void otherLimitsBeginAgain() {
        Herd herd = new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE).usedUp();
        told(herd, 2);

        assertThat(told(herd.limits(Limit.tokenBucket(5).refill(10, MINUTE)), 2)).containsExactly(6L, 12L);
    }

    @Test
    void turnsWithoutRedisAreThoseOfThisInstancesShare() {
        Herd herd = new Herd(RetryAfter.IN_TURN, Limit.tokenBucket(20).refill(20, MINUTE)).replicas(4).usedUp();

        assertThat(told(herd, 3)).containsExactly(12L, 24L, 36L);
        assertThat(told(herd.replicas(1).usedUp(), 3)).containsExactly(3L, 6L, 9L);
    }

    @Test
    void everyKeyHasItsOwnTurns() {
        Herd herd = new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE).usedUp();
        told(herd, 3);

        assertThat(told(herd.caller("other").usedUp(), 2)).containsExactly(12L, 24L);
        assertThat(told(herd.caller("caller"), 2)).containsExactly(48L, 60L);
    }

    @Test
    void clockThatGoesBackBeginsAgain() {
        Herd herd = new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE).usedUp();
        herd.advance(Duration.ofHours(1));
        herd.usedUp();
        told(herd, 3);
        herd.advance(Duration.ofHours(-1));

        assertThat(herd.decide(1).retryAfterSeconds()).isLessThanOrEqualTo(12);
    }

    /** No more than a bound in memory, whatever callers send; what no longer matters is removed before. */
    @Test
    void memoryIsBounded() {
        Duration day = Duration.ofDays(1);
        Herd herd = new Herd(RetryAfter.IN_TURN, Limit.tokenBucket(86_400).refill(86_400, day), Limit.slidingLog(500_000, day));
        for (int key = 0; key < 5; key++) {
            herd.caller("caller" + key).exact(86_400);
            List<Long> told = toldAtOnce(herd, 70_000);
            // one each second, but no more than this of one key
            assertThat(told.indexOf(86_400L)).isBetween(60_000, 69_999);
            assertThat(herd.turns().weight).isBetween(Turns.MAX_KEY_WEIGHT, Turns.MAX_WEIGHT);
        }
        herd.advance(Duration.ofDays(3));

        Herd callers = new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE);
        for (int caller = 0; caller < 1_000; caller++) {
            callers.caller("caller" + caller).usedUp().decide(1);
            callers.advance(SECOND);
        }
        assertThat(callers.turns().weight).isLessThan(100);
    }

    @Test
    void keyWithManyCallsDisplacesNoOther() {
        Herd herd = new Herd(RetryAfter.IN_TURN, FIVE_PER_MINUTE).usedUp();
        told(herd, 3);
        herd.limits(Limit.tokenBucket(10_000).refill(10_000, SECOND)).caller("hot").usedUp();
        List<Long> hot = toldAtOnce(herd, 310_000);
        assertThat(hot.stream().filter(seconds -> seconds < 30)).hasSize(290_000);

        assertThat(told(herd.limits(FIVE_PER_MINUTE).caller("caller"), 1)).containsExactly(48L);
    }

    /** Random histories, of callers that get turns and of others. */
    @ParameterizedTest
    @EnumSource
    void decisionsAndTheirExactTimesStayTheSame(Algorithm algorithm) {
        Random random = new Random(2);
        for (int history = 0; history < 100; history++) {
            Limit limit = RandomLimits.of(algorithm, random);
            Herd inTurn = new Herd(RetryAfter.IN_TURN, limit), earliest = new Herd(RetryAfter.EARLIEST, limit);
            for (int call = 0; call < 50; call++) {
                Duration step = LimitUsage.micros(Math.max(0, RandomLimits.step(limit, random)));
                inTurn.advance(step);
                earliest.advance(step);
                long cost = 1 + random.nextLong(limit.burst());
                Decision exact = inTurn.exact(cost).decisions().get(0);
                inTurn.tell(exact);

                assertThat(exact.calculation().details()).isEqualTo(earliest.decide(cost).calculation().details());
            }
        }
    }

    /** Whatever was called before: calls that come when they are due are allowed, if nobody else calls. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "CONCURRENCY")
    void callIsAllowedWhenItIsDue(Algorithm algorithm) {
        Random random = new Random(1);
        int inTurn = 0;
        for (int history = 0; history < 300; history++) {
            Limit limit = RandomLimits.of(algorithm, random);
            Herd herd = new Herd(RetryAfter.IN_TURN, limit);
            for (int call = 0; call < 20; call++) {
                herd.advance(LimitUsage.micros(Math.max(0, RandomLimits.step(limit, random))));
                herd.decide(1 + random.nextLong(limit.burst()));
            }
            List<Long> dues = dues(herd, 1 + random.nextLong(Math.max(1, limit.burst() / 4)), herd.horizon(limit));
            inTurn += dues.size() > 1 ? 1 : 0;
            if (algorithm == Algorithm.SLIDING_LOG
                    || algorithm == Algorithm.SLIDING_WINDOW && limit.period().compareTo(SECOND) <= 0) {
                // unknown when each permit of a log comes back; and a window may end between calls of the same second
                continue;
            }
            long before = 0;
            for (long due : dues) {
                herd.advance(Duration.ofSeconds(due - before));
                before = due;
                assertThat(herd.exact(herd.lastCost()).isDenied()).as("%s, due after %s of %s", limit, due, dues).isFalse();
            }
        }
        assertThat(inTurn).isGreaterThan(20);
    }

    /** When calls at this cost are due that are denied now, without those that are told the latest time. */
    private static List<Long> dues(Herd herd, long cost, long horizon) {
        List<Long> dues = new ArrayList<>();
        for (int call = 0; call < 12; call++) {
            Decision exact = herd.exact(cost).decisions().get(0);
            if (!exact.allowed()) {
                long due = herd.tell(exact).retryAfterSeconds();
                assertThat(due).isGreaterThanOrEqualTo(exact.retryAfterSeconds());
                if (due >= horizon) {
                    break;
                }
                dues.add(due);
            }
        }
        assertThat(dues).isSorted();
        return dues;
    }

    /** The seconds that these calls of one moment are told. The store denies all of them for the same time. */
    private static List<Long> toldAtOnce(Herd herd, int calls) {
        Decision exact = herd.exact(1).decisions().get(0);
        return IntStream.range(0, calls).mapToObj(call -> herd.tell(exact).retryAfterSeconds()).toList();
    }

    /** The seconds that these calls are told, one after the other. */
    private static List<Long> told(Herd herd, int calls) {
        List<Long> told = new ArrayList<>();
        for (int call = 0; call < calls; call++) {
            told.add(herd.decide(1).retryAfterSeconds());
        }
        return told;
    }
}
