package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.fixtures.Counted;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;

/**
 * After refunds the state of a key is as if the refunded calls had never been made. It never allows more calls, and fewer only
 * as far as a test states. DecideScriptTest checks that the scripts do the same.
 */
class TokenBucketRefundTraceTest {

    private static final int HISTORIES = 150;
    private static final int POINTS = 16;
    private static final long YEAR = Duration.ofDays(365).toNanos() / 1_000;

    private Random random;
    private Limit limit;
    private Counted key;
    private List<Made> made;
    /** What is stored after each of these calls where nothing was ever refunded, as far as it is known. */
    private List<Object> storedByReplay;
    /** When the bucket was last full before a call. */
    private long busySince;
    private int callsWhileBusy;
    private long highestCost;
    private boolean allIdentified;

    /** A call, what is left of it after a refund, and how it stood then. */
    private record Made(long at, long granted, long kept, LimitState state) {

        Made keeping(long left) {
            return new Made(at, granted, left, state);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    void upToSixteenCallsOfABucketRefilledEvenlyLeaveNone(long seed) {
        random = new Random(seed);
        for (int history = 0; history < HISTORIES; history++) {
            begin(bucket(Refill.GREEDY));
            for (int step = 0; step < 60; step++) {
                step(callsWhileBusy < POINTS);

                assertThat(inUse(key)).as("step %d of %s", step, limit).isEqualTo(inUse(replayed()));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    void moreCallsOfABucketRefilledEvenlyLeaveAtMostWhatComesBackInAnEighthOfTheTimeItHasNotBeenFull(long seed) {
        random = new Random(seed);
        for (int history = 0; history < HISTORIES / 10; history++) {
            begin(bucket(Refill.GREEDY));
            highestCost = 1 + limit.burst() / 60;
            for (int step = 0; step < 300; step++) {
                step(true);

                assertThat(inUse(key) - inUse(replayed())).as("step %d of %s", step, limit)
                        .isBetween(0L, (key.now - busySince) / 8);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    void upToSixteenCallsOfABucketRefilledAtOnceLeaveNoneBeforeItIsRefilled(long seed) {
        random = new Random(seed);
        for (int history = 0; history < HISTORIES; history++) {
            begin(bucket(Refill.INTERVAL));
            long period = limit.period().toNanos() / 1_000;
            long end = key.now + period;
            for (int step = 0; step < 40; step++) {
                callOrRefund(callsWhileBusy < POINTS);

                assertThat(key.peek(limit)).as("step %d of %s", step, limit).isEqualTo(replayed().peek(limit));
                key.now = Math.min(end - 1, key.now + random.nextLong(1 + period / 20));
            }
        }
    }

    /**
     * This is so for the same first use of the full bucket, which decides when permits come back, whether it is refunded or
     * not.
     */
    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    void callsOfABucketRefilledAtOnceLeaveAtMostWhatWasInUseAfterItsLastRefill(long seed) {
        random = new Random(seed);
        for (int history = 0; history < HISTORIES; history++) {
            begin(bucket(Refill.INTERVAL));
            long period = limit.period().toNanos() / 1_000, inUseAfterRefill = 0;
            for (int step = 0; step < 100; step++) {
                long before = used(key);
                key.now += random.nextInt(3) == 0 ? random.nextLong(1 + period) : random.nextLong(1 + period / 20);
                inUseAfterRefill = used(key) < before ? used(key) : inUseAfterRefill;
                long usedBefore = used(key);
                callOrRefund(callsWhileBusy < POINTS);
                Counted replayed = replayed();
                if (fullBefore(replayed) != fullBefore(key)) {
                    assertThat(used(key)).as("step %d of %s", step, limit)
                            .isGreaterThanOrEqualTo(Math.min(used(replayed), usedBefore));
                    break;
                }

                assertThat(used(key) - used(replayed)).as("step %d of %s", step, limit).isBetween(0L, inUseAfterRefill);
            }
        }
    }

    /** A refund of an untracked call may refund less than possible, but never allows more. */
    @ParameterizedTest
    @CsvSource({ "GREEDY, 1", "GREEDY, 2", "GREEDY, 3", "INTERVAL, 1", "INTERVAL, 2", "INTERVAL, 3" })
    void refundsOfCallsThatAreNotAllTrackedAllowNothingMore(Refill refill, long seed) {
        random = new Random(seed);
        for (int history = 0; history < HISTORIES; history++) {
            begin(bucket(refill));
            highestCost = 1 + limit.burst() / (1 + random.nextInt(60));
            allIdentified = false;
            for (int step = 0; step < 100; step++) {
                pass();
                long before = used(key);
                callOrRefund(true);
                Counted replayed = replayed();
                boolean sameFirstUse = refill == Refill.GREEDY || fullBefore(replayed) == fullBefore(key);

                assertThat(used(key)).as("step %d of %s", step, limit)
                        .isGreaterThanOrEqualTo(sameFirstUse ? used(replayed) : Math.min(used(replayed), before));
                if (!sameFirstUse) {
                    break;
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, names = { "FIXED_WINDOW", "SLIDING_WINDOW", "SLIDING_LOG" })
    void callsOfWindowsAndLogsLeaveNone(Algorithm algorithm) {
        random = new Random(1);
        for (int history = 0; history < HISTORIES; history++) {
            begin(RandomLimits.of(algorithm, random));
            for (int step = 0; step < 60; step++) {
                step(true);

                assertThat(key.peek(limit).remaining()).as("step %d of %s", step, limit)
                        .isEqualTo(replayed().peek(limit).remaining());
            }
        }
    }

    /** One that does not take so long to fill that more is not kept. */
    private Limit bucket(Refill refill) {
        while (true) {
            Limit bucket = RandomLimits.of(Algorithm.TOKEN_BUCKET, random);
            if (bucket.refill() == refill && PolicyLimit.ruleOf(bucket).fillTime(0) < YEAR / 10) {
                return bucket;
            }
        }
    }

    private void begin(Limit limit) {
        this.limit = limit;
        highestCost = limit.burst();
        allIdentified = true;
        key = new Counted();
        made = new ArrayList<>();
        storedByReplay = new ArrayList<>();
        busySince = key.now;
        callsWhileBusy = 0;
    }

    private void step(boolean calls) {
        pass();
        callOrRefund(calls);
    }

    private void pass() {
        key.now += Math.max(0, RandomLimits.step(limit, random));
    }

    private void callOrRefund(boolean calls) {
        List<Made> refundable = made.stream().filter(call -> call.granted == call.kept).toList();
        if (!refundable.isEmpty() && (!calls || random.nextInt(5) < 2)) {
            refund(refundable.get(random.nextInt(1 + random.nextInt(refundable.size()))));
        } else if (calls) {
            call();
        }
    }

    private void call() {
        if (key.peek(limit).resetAfter().isZero()) {
            busySince = key.now;
            callsWhileBusy = 0;
        }
        boolean isBucket = limit.algorithm() == Algorithm.TOKEN_BUCKET;
        OperationKind kind = isBucket && random.nextInt(4) == 0 ? OperationKind.CHARGE : OperationKind.ACQUIRE;
        long cost = random.nextInt(4) == 0 ? highestCost : 1 + random.nextLong(1 + highestCost / 4);
        PermitRequest requested = new PermitRequest(cost, kind, 0);
        LimitState state = key.decide(limit, allIdentified || random.nextInt(3) > 0 ? requested.asRefundable() : requested);
        if (state.allowed()) {
            callsWhileBusy++;
            made.add(new Made(key.now, cost, cost, state));
        }
    }

    private void refund(Made call) {
        long count = random.nextInt(3) == 0 ? 1 + random.nextLong(call.granted) : call.granted;
        key.refund(limit, call.state, call.at, count);
        int index = made.indexOf(call);
        made.set(index, call.keeping(call.granted - count));
        storedByReplay.subList(Math.min(index, storedByReplay.size()), storedByReplay.size()).clear();
    }

    /** The same calls, without what was refunded of them. */
    private Counted replayed() {
        Counted replayed = new Counted();
        if (limit.algorithm() == Algorithm.SLIDING_LOG) {
            // a log changes in place
            storedByReplay.clear();
        }
        replayed.stored = storedByReplay.isEmpty() ? null : storedByReplay.get(storedByReplay.size() - 1);
        for (Made call : made.subList(storedByReplay.size(), made.size())) {
            replayed.now = call.at;
            if (call.kept > 0) {
                replayed.decide(limit, OperationKind.CHARGE, call.kept);
            }
            storedByReplay.add(replayed.stored);
        }
        replayed.now = key.now;
        return replayed;
    }

    /** How long until everything has come back, microseconds. */
    private long inUse(Counted key) {
        return key.peek(limit).resetAfter().toNanos() / 1_000;
    }

    private static long used(Counted key) {
        return key.stored instanceof TokenBucketState state ? state.asOf(key.now).level().whole() : 0;
    }

    /** The call before which the bucket was full the last time. */
    private static long fullBefore(Counted key) {
        return key.stored instanceof TokenBucketState state && used(key) > 0 ? state.since() : 0;
    }
}
