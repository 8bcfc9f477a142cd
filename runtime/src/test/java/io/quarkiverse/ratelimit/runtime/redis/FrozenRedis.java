package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.vertx.redis.client.Request;

/** Makes stores whose Redis takes the time from the test, and keeps keys for an hour longer as no time passes there. */
public final class FrozenRedis {

    static final long HOUR_MILLIS = 3_600_000;

    private FrozenRedis() {
    }

    public static RedisStore store(RealRedis redis, LongSupplier micros) {
        return RedisStore.single(redis.vertx, RedisConnector.to(redis::newClient), Duration.ofSeconds(5),
                script(micros));
    }

    static DecideScript script(LongSupplier micros) {
        return new DecideScript("test", Clock.systemUTC()) {
            @Override
            public Request command(List<StoreRequest> requests, boolean withText) {
                return super.command(requests, withText).arg(micros.getAsLong());
            }

            @Override
            public String text(long files) {
                return super.text(files).replace("redis.pcall('TIME')", "{ '0', table.remove(ARGV) }")
                        .replace("'PX', ttl[n]", "'PX', ttl[n] + " + HOUR_MILLIS)
                        .replace("'PX', ttl)", "'PX', ttl + " + HOUR_MILLIS + ")")
                        .replace("'PEXPIRE', key, ttl", "'PEXPIRE', key, ttl + " + HOUR_MILLIS);
            }
        };
    }
}
