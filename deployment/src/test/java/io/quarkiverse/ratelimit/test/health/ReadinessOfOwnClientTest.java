package io.quarkiverse.ratelimit.test.health;

import static io.quarkiverse.ratelimit.test.health.fixtures.Readiness.assertReady;
import static io.quarkiverse.ratelimit.test.health.fixtures.Readiness.awaitRedis;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.test.health.fixtures.Readiness;
import io.quarkiverse.ratelimit.test.health.fixtures.StoppableRedis;
import io.quarkus.test.QuarkusUnitTest;

/** Redis' own check uses the application's Redis only, where the limiter has a client of its own. */
class ReadinessOfOwnClientTest {

    private static final int PORT = StoppableRedis.port(ReadinessOfOwnClientTest.class);

    @RegisterExtension
    static final QuarkusUnitTest APP = Readiness.application(PORT, 0)
            .overrideConfigKey("quarkus.rate-limit.redis-client", "limits")
            .overrideConfigKey("quarkus.redis.limits.hosts", "redis://127.0.0.1:1")
            .overrideConfigKey("quarkus.redis.limits.active", "false");

    private final StoppableRedis ofApplication = new StoppableRedis(PORT);

    @AfterEach
    void stop() {
        ofApplication.close();
    }

    @Test
    void readinessIsThatOfTheApplicationsRedis() {
        awaitRedis("unavailable");
        assertThat(Readiness.status()).isEqualTo(503);

        ofApplication.start();

        assertReady();
        awaitRedis("unavailable");
    }
}
