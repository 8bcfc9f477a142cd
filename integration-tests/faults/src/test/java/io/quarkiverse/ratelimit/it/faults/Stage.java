package io.quarkiverse.ratelimit.it.faults;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimiters;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/**
 * The application under load, and its Redis.
 *
 * @param caller whose calls are counted
 */
record Stage(FaultyRedis redis, RateLimiters limiters, Vertx vertx, Load load, String caller) {

    FaultyLink link() {
        return redis.link();
    }

    /** Replaces the values of all keys by lists. */
    void spoilKeys() {
        for (Response key : redis.send(Command.KEYS, "rate-limit:*")) {
            redis.send(Command.EVAL, "redis.call('DEL', KEYS[1]) return redis.call('RPUSH', KEYS[1], 'spoiled')", 1, key);
        }
    }

    /** Makes this many calls in one task of an event loop. */
    void callAtOnce(int count) {
        CountDownLatch decided = new CountDownLatch(count);
        vertx.getOrCreateContext().runOnContext(ignored -> {
            long started = System.nanoTime();
            for (int i = 0; i < count; i++) {
                limiters.get(Endpoint.LOCAL.policy()).reactive().forKey(caller).tryAcquire().subscribe().with(decision -> {
                    load.add(new CallResponse(Endpoint.LOCAL, started, Duration.ofNanos(System.nanoTime() - started),
                            decision.allowed() ? 200 : 429, decision.source() == Source.REDIS, null));
                    decided.countDown();
                });
            }
        });
        try {
            decided.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until this many more calls of each endpoint have a response. */
    void awaitCalls(int count) {
        long since = System.nanoTime();
        await().atMost(Duration.ofSeconds(30)).until(() -> load.hasResponses(count, since));
    }

    void beginLoading() {
        redis.send(Command.CONFIG, "SET", "rdbcompression", "no");
        redis.send(Command.DEBUG, "POPULATE", 2_500, "filling", 20_000);
        redis.send(Command.CONFIG, "SET", "key-load-delay", 1_000);
        redis.sendElsewhere(Command.DEBUG, "RELOAD");
    }

    /** Waits until all data is loaded. */
    void endLoading() {
        await().atMost(Duration.ofSeconds(20)).until(() -> redis.send(Command.INFO, "persistence").toString()
                .contains("\nloading:0"));
        redis.send(Command.CONFIG, "SET", "key-load-delay", 0);
        redis.send(Command.EVAL, "for _, key in ipairs(redis.call('KEYS', 'filling:*')) do redis.call('UNLINK', key) end", 0);
    }

    void beginFailingToSave() {
        redis.send(Command.CONFIG, "SET", "save", "3600 1");
        redis.saveInto(false);
        redis.send(Command.BGSAVE);
        await().atMost(Duration.ofSeconds(20)).until(() -> redis.send(Command.INFO, "persistence").toString()
                .contains("rdb_last_bgsave_status:err"));
    }

    void endFailingToSave() {
        redis.saveInto(true);
        redis.send(Command.CONFIG, "SET", "save", "");
    }
}
