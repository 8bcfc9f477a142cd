package io.quarkiverse.ratelimit.test.health;

import static io.quarkiverse.ratelimit.test.health.fixtures.Readiness.awaitRedis;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.test.health.fixtures.Readiness;
import io.quarkiverse.ratelimit.test.health.fixtures.StoppableRedis;
import io.quarkus.test.QuarkusUnitTest;

/** Redis' own check takes the application out of service, and a warning at the start announces it. */
class ReadinessWithRedisCheckTest {

    private static final int PORT = StoppableRedis.port(ReadinessWithRedisCheckTest.class);

    @RegisterExtension
    static final QuarkusUnitTest APP = Readiness.application(PORT, 1);

    private final StoppableRedis redis = new StoppableRedis(PORT);

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void applicationIsNotReadyWhileRedisIsUnavailable() {
        redis.start();
        awaitRedis("connected");
        assertThat(Readiness.status()).isEqualTo(200);

        redis.close();

        awaitRedis("unavailable");
        assertThat(Readiness.status()).isEqualTo(503);
    }
}
