package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.BothStores;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.BothStores.Acquired;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** What a refund leaves of a token bucket, in Redis and in memory. */
class TokenBucketRefundsTest {

    private static final Limit TEN_AN_HOUR = Limit.tokenBucket(10).refill(10, Duration.ofHours(1));
    private static final Limit MANY_A_SECOND = Limit.tokenBucket(1_000).refill(1_000, Duration.ofSeconds(1));
    private static final Limit FIVE_AT_ONCE_EACH_HOUR = Limit.tokenBucket(10).refillInterval(5, Duration.ofHours(1));
    private static final Limit TEN_IN_TEN_SECONDS = Limit.tokenBucket(10).refill(10, Duration.ofSeconds(10));

    @RegisterExtension
    static final RealRedis REDIS = RealRedis.withOtherKeys();

    private BothStores stores;

    @BeforeEach
    void open() {
        stores = new BothStores(REDIS);
        stores.at("2025-11-20T12:00:00Z");
    }

    @AfterEach
    void close() {
        stores.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void callFromBeforeOtherNumbersReturnsNothing(boolean identified) {
        Acquired before = acquire(TEN_AN_HOUR, 10, identified);
        acquire(MANY_A_SECOND, 1, identified);
        stores.pass(Duration.ofSeconds(1));
        acquire(TEN_AN_HOUR, 10, identified);

        stores.refund(before, 10);

        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void callOfAnotherPlanReturnsNothing(boolean identified) {
        Acquired fewer = acquire(TEN_AN_HOUR, 4, identified);
        Acquired more = acquire(MANY_A_SECOND, 100, identified);

        stores.refund(fewer, 4);

        assertThat(stores.peek(MANY_A_SECOND).remaining()).isEqualTo(896);
        stores.refund(more, 100);
        assertThat(stores.peek(MANY_A_SECOND).remaining()).isEqualTo(996);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void callFromBeforeTheBucketWasEmptiedReturnsNothing(boolean identified) {
        Acquired before = acquire(TEN_AN_HOUR, 10, identified);
        stores.reset();
        stores.pass(Duration.ofSeconds(1));
        acquire(TEN_AN_HOUR, 10, identified);

        stores.refund(before, 10);

        assertThat(stores.peek(TEN_AN_HOUR).remaining()).isZero();
    }

    @Test
    void fiveCallsPerSecondThatLastTwoAndDoNotCountAreNeverDenied() {
        Deque<Acquired> underWay = new ArrayDeque<>();
        for (int call = 0; call < 500; call++) {
            Acquired acquired = acquire(TEN_IN_TEN_SECONDS, 1, true);
            assertThat(acquired.state().allowed()).as("call %d", call).isTrue();
            underWay.add(acquired);
            if (underWay.size() > 10) {
                stores.refund(underWay.remove(), 1);
            }
            stores.pass(Duration.ofMillis(200));
        }
        underWay.forEach(acquired -> stores.refund(acquired, 1));

        assertThat(stores.peek(TEN_IN_TEN_SECONDS).resetAfter()).isZero();
    }

    @Test
    void untrackedCallsAreRefundedNoMoreThanTheyAcquiredTogether() {
        List<Acquired> calls = new ArrayList<>();
        for (int call = 0; call < 5; call++) {
            calls.add(acquire(TEN_IN_TEN_SECONDS, 1, false));
        }
        stores.refund(calls.get(0), 1);
        stores.pass(Duration.ofSeconds(1));
        acquire(TEN_IN_TEN_SECONDS, 7, false);

        for (Acquired call : calls.subList(1, 5)) {
            stores.refund(call, 1);
        }

        assertThat(stores.peek(TEN_IN_TEN_SECONDS).resetAfter()).isGreaterThanOrEqualTo(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @ValueSource(strings = { "012", "021", "102", "120", "201", "210" })
    void untrackedCallsOfABucketRefilledAtOnceAreRefundedInAnyOrder(String order) {
        List<Acquired> calls = new ArrayList<>();
        for (int cost = 2; cost <= 4; cost++) {
            calls.add(acquire(FIVE_AT_ONCE_EACH_HOUR, cost, false));
            stores.pass(Duration.ofMillis(1));
        }
        long remaining = 1;
        for (char call : order.toCharArray()) {
            int number = call - '0', cost = number + 2;
            stores.refund(calls.get(number), cost);
            stores.pass(Duration.ofMillis(1));
            remaining += cost;
            assertThat(stores.peek(FIVE_AT_ONCE_EACH_HOUR).remaining()).isEqualTo(remaining);
        }
    }

    @Test
    void callBeforeARefillReturnsNothingAfterARefundOfTheFirstCallSince() {
        Acquired before = acquire(FIVE_AT_ONCE_EACH_HOUR, 9, false);
        stores.pass(Duration.ofHours(1));
        Acquired first = acquire(FIVE_AT_ONCE_EACH_HOUR, 1, false);
        stores.pass(Duration.ofMillis(1));
        acquire(FIVE_AT_ONCE_EACH_HOUR, 4, false);
        stores.refund(first, 1);

        stores.refund(before, 9);

        assertThat(stores.peek(FIVE_AT_ONCE_EACH_HOUR).remaining()).isEqualTo(2);
    }

    @Test
    void onlyKeysWithTrackedCallsGrow() {
        acquire(TEN_IN_TEN_SECONDS, 1, false);
        assertThat(REDIS.send(Command.STRLEN, stores.key()).toInteger()).isEqualTo(40);

        for (int call = 0; call < 100; call++) {
            acquire(Limit.tokenBucket(1_000).refill(1, Duration.ofSeconds(1)), 1, true);
            stores.pass(Duration.ofMillis(1));
        }
        assertThat(REDIS.send(Command.STRLEN, stores.key()).toInteger()).isEqualTo(40 + 7 + 7 + 16 * 19);
    }

    private Acquired acquire(Limit limit, long cost, boolean identified) {
        PermitRequest requested = new PermitRequest(cost, OperationKind.ACQUIRE, 0);
        return stores.decide(limit, identified ? requested.asRefundable() : requested);
    }
}
