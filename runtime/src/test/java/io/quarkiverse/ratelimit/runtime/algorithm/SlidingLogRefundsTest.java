package io.quarkiverse.ratelimit.runtime.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.BothStores;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.BothStores.Acquired;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** A sliding log refunds charges beyond its limit as if they had never been made: a list of all calls is the oracle. */
class SlidingLogRefundsTest {

    private static final int HISTORIES = 300;
    private static final long PERIOD = 20;
    private static final String START = "2026-11-29T12:00:00Z";

    @RegisterExtension
    static final RealRedis REDIS = RealRedis.withOtherKeys();

    private final BothStores stores = new BothStores(REDIS);

    @AfterEach
    void close() {
        stores.close();
    }

    @Test
    void earlierCallsCountAsLongAsTheyWouldWithoutTheRefundedCharge() {
        Limit limit = Limit.slidingLog(2, Duration.ofSeconds(PERIOD));
        stores.at(START);
        charge(limit, 2);
        stores.pass(Duration.ofSeconds(2));
        charge(limit, 1);
        stores.pass(Duration.ofSeconds(2));
        Acquired refunded = charge(limit, 2);

        stores.refund(refunded, 2);

        stores.pass(Duration.ofSeconds(PERIOD - 4));
        assertThat(stores.peek(limit).remaining()).isEqualTo(1);
        stores.pass(Duration.ofSeconds(2));
        assertThat(stores.peek(limit).remaining()).isEqualTo(2);
    }

    @Test
    void randomHistories() {
        for (int seed = 0; seed < HISTORIES; seed++) {
            history(seed, new Random(seed));
        }
    }

    /** Not more calls than the log keeps at the same time: one more than its limit. */
    private void history(int seed, Random random) {
        Limit limit = Limit.slidingLog(1 + random.nextInt(6), Duration.ofSeconds(PERIOD));
        List<Acquired> acquired = new ArrayList<>();
        Map<Acquired, Long> counts = new HashMap<>();
        stores.reset();
        stores.at(START);
        long now = 0;
        for (int calls = 0, steps = 0; steps < 12; steps++) {
            long passed = 1 + random.nextInt(3);
            stores.pass(Duration.ofSeconds(passed));
            now += passed;
            if (calls <= limit.permits() && random.nextInt(3) > 0) {
                calls++;
                long cost = 1 + random.nextLong(2 * limit.permits());
                Acquired call = random.nextBoolean() ? charge(limit, cost)
                        : stores.decide(limit, new PermitRequest(cost, OperationKind.ACQUIRE, 0));
                if (call.state().allowed()) {
                    acquired.add(call);
                    counts.put(call, cost);
                }
            } else if (!acquired.isEmpty()) {
                Acquired call = acquired.get(random.nextInt(acquired.size()));
                long count = Math.min(counts.get(call), 1 + random.nextLong(2 * limit.permits()));
                if (count > 0) {
                    stores.refund(call, count);
                    counts.merge(call, -count, Long::sum);
                }
            }
            long oldest = TimeUnit.SECONDS.toMicros(Instant.parse(START).getEpochSecond() + now - PERIOD);
            long used = counts.entrySet().stream().filter(call -> call.getKey().at() > oldest).mapToLong(Map.Entry::getValue)
                    .sum();
            assertThat(stores.peek(limit)).as("history %d, step %d", seed, steps)
                    .returns(Math.max(0, limit.permits() - used), LimitState::remaining);
        }
    }

    private Acquired charge(Limit limit, long cost) {
        return stores.decide(limit, new PermitRequest(cost, OperationKind.CHARGE, 0));
    }
}
