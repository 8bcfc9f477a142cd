package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Makes stores whose Redis takes the time from the test, and keeps keys for an hour longer as no time passes there. */
final class FrozenRedis {

    static final long HOUR_MILLIS = 3_600_000;

    private FrozenRedis() {
    }

    static RedisStore store(RealRedis redis, LongSupplier micros) {
        String script = DecideScript.assembled().replace("redis.call('TIME')", "{ '0', '0' }")
                .replace("'PX', ttl[n]", "'PX', ttl[n] + " + HOUR_MILLIS);
        return new RedisStore(redis.vertx, redis::newClient, Duration.ofSeconds(5),
                new DecideScript(new LimitKeys("test"), micros, script));
    }
}
