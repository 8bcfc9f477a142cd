package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** Requests without a reply fail at their deadlines, in whatever order they were made. */
class RedisQueueTimeoutsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @Test
    void requestsFailInTheOrderOfTheirDeadlines() throws Exception {
        StoreRequest request = requestOf("caller", 1, policy("ten", Limit.tokenBucket(10).refill(1, Duration.ofDays(1))));
        List<Long> timeouts = LongStream.rangeClosed(-20, 400).boxed().collect(Collectors.toList());
        Collections.shuffle(timeouts, new Random(7));
        Queue<Long> failed = new ConcurrentLinkedQueue<>();
        Queue<Long> early = new ConcurrentLinkedQueue<>();
        try (RedisStore store = REDIS.newStore(SOON)) {
            new Caller(store, "first", 1).timeToWork(SOON);
            REDIS.signal("STOP");
            REDIS.vertx.runOnContext(ignored -> {
                long now = System.nanoTime();
                timeouts.forEach(millis -> {
                    long due = now + Duration.ofMillis(millis).toNanos();
                    store.decide(request, new Deadline(now, due)).subscribe().with(never -> {
                    }, late -> (System.nanoTime() - due < 0 ? early : failed).add(millis));
                });
            });

            await().atMost(SOON).until(() -> failed.size() + early.size() == timeouts.size());
        } finally {
            REDIS.signal("CONT");
        }
        assertThat(early).isEmpty();
        assertThat(List.copyOf(failed)).isSorted();
    }
}
