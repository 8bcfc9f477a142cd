package io.quarkiverse.ratelimit.runtime.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.DecidedCall;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.Where;
import io.vertx.redis.client.Command;

/** A long log is small, and costs a few commands however long it is. */
class SlidingLogInRedisTest {

    private static final int CALLS = 10_000;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final StoreCalls store = new StoreCalls(Where.REDIS, REDIS);
    private final Limit limit = Limit.slidingLog(CALLS, Duration.ofSeconds(CALLS));

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void anEntryNeedsAtMost16Bytes() {
        fill();

        long bytes = REDIS.send(Command.MEMORY, "USAGE", key(), "SAMPLES", "0").toLong();

        assertThat((double) bytes / CALLS).isLessThan(16);
    }

    @Test
    void aCallLooksAtAFewEntriesHoweverManyThereAreAndHoweverManyHavePassed() {
        fill();
        REDIS.send(Command.CONFIG, "RESETSTAT");

        assertThat(store.decide(limit, CALLS / 2).allowed()).isFalse();
        assertThat(REDIS.calls("lindex")).isLessThanOrEqualTo(40);
        store.pass(Duration.ofSeconds(CALLS / 3 * 2));
        REDIS.send(Command.CONFIG, "RESETSTAT");

        assertThat(store.decide(limit, 1).allowed()).isTrue();
        assertThat(REDIS.calls("lindex")).isLessThanOrEqualTo(40);
        assertThat(REDIS.calls("ltrim")).isEqualTo(1);
        store.pass(Duration.ofMillis(1));
        REDIS.send(Command.CONFIG, "RESETSTAT");

        assertThat(store.decide(limit, 1).allowed()).isTrue();
        assertThat(REDIS.calls("lindex")).isEqualTo(1);
        assertThat(REDIS.calls("ltrim")).isZero();
        assertThat(REDIS.send(Command.LLEN, key()).toInteger()).isLessThan(CALLS / 2);
    }

    @Test
    void remembersNoMoreThanThePermitsHoweverMuchIsCharged() {
        Limit ten = Limit.slidingLog(10, Duration.ofSeconds(CALLS));
        for (int i = 0; i < 1_000; i++) {
            store.decide(ten, store.call(1, OperationKind.CHARGE));
            store.pass(Duration.ofMillis(1));
        }

        assertThat(REDIS.send(Command.LLEN, key()).toInteger()).isLessThanOrEqualTo(12);
        assertThat(store.peek(limit, 1).state().remaining()).isEqualTo(CALLS - 1_000);
    }

    @Test
    void nothingIsRefundedOnceTooManyHaveBeenAllowedSince() {
        Limit many = Limit.slidingLog(CALLS * 2, Duration.ofSeconds(CALLS * 2));
        DecidedCall first = store.decide(many, 1);
        store.pass(Duration.ofSeconds(1));
        DecidedCall second = store.decide(many, 1);
        for (int i = 0; i < CALLS; i++) {
            store.pass(Duration.ofSeconds(1));
            store.decide(many, 1);
        }
        REDIS.send(Command.CONFIG, "RESETSTAT");

        store.refund(first, 1);
        assertThat(store.peek(many, 1).state().remaining()).isEqualTo(CALLS - 2);
        assertThat(REDIS.calls("lset")).isZero();

        store.refund(second, 1);
        assertThat(store.peek(many, 1).state().remaining()).isEqualTo(CALLS - 1);
    }

    /** The id of a reservation may contain any time. */
    @Test
    void refundOfACallAtTimeZeroReturnsNothing() {
        DecidedCall call = store.decide(limit, 1);
        DecidedCall atZero = new DecidedCall(limit, call.requested(), new StoreReply(0, call.reply().limits()), call.state());

        store.refund(atZero, 1);
        assertThat(store.peek(limit, 1).state().remaining()).isEqualTo(CALLS - 1);

        store.nextCaller();
        store.refund(atZero, 1);
        assertThat(store.peek(limit, 1).state().remaining()).isEqualTo(CALLS);
    }

    private void fill() {
        for (int i = 0; i < CALLS; i++) {
            assertThat(store.decide(limit, 1).allowed()).isTrue();
            store.pass(Duration.ofSeconds(1).minusNanos(i == CALLS - 1 ? 500_000_000 : 0));
        }
    }

    private String key() {
        return "test:{" + store.caller() + "}:policy:l0:sl1";
    }
}
