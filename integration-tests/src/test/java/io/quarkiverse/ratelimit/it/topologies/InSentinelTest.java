package io.quarkiverse.ratelimit.it.topologies;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.it.topologies.fixtures.Shown;
import io.quarkiverse.ratelimit.it.topologies.fixtures.StartedSentinel;
import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;

/** Counts in the master that sentinels name, and in the configured database. */
@Tag("slow")
@QuarkusTest
@TestProfile(InSentinelTest.BySentinels.class)
class InSentinelTest {

    @Inject
    RateLimitTesting limits;

    @Inject
    RateLimiters limiters;

    @Inject
    Vertx vertx;

    @Test
    void callsAreCountedInTheDatabaseOfTheMaster() throws Exception {
        RateLimiter limiter = limiters.get("five-for-each");

        RateLimitDecision acquired = limiter.forKey("alice").tryAcquire();
        assertThat(acquired.source()).isEqualTo(Source.REDIS);
        assertThat(acquired.remaining()).isEqualTo(4);
        assertThat(keys(3)).isEqualTo(1);
        assertThat(keys(0)).isZero();

        limits.reset();
        assertThat(keys(3)).isZero();
        assertThat(limiter.forKey("alice").tryAcquire().remaining()).isEqualTo(4);
    }

    private int keys(int database) throws Exception {
        String master = ConfigProvider.getConfig().getValue("test.master", String.class);
        Redis client = Redis.createClient(vertx, master + "/" + database);
        try {
            return client.send(Request.cmd(Command.DBSIZE)).toCompletionStage().toCompletableFuture()
                    .get(10, TimeUnit.SECONDS).toInteger();
        } finally {
            client.close();
        }
    }

    public static class BySentinels extends Shown {

        public BySentinels() {
            super("redis-sentinel.properties", "quarkus.redis.hosts");
        }

        @Override
        public List<TestResourceEntry> testResources() {
            return List.of(new TestResourceEntry(StartedSentinel.class));
        }
    }
}
