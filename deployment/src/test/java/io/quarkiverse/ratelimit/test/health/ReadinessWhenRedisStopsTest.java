package io.quarkiverse.ratelimit.test.health;

import static io.quarkiverse.ratelimit.test.health.fixtures.Readiness.assertReady;
import static io.quarkiverse.ratelimit.test.health.fixtures.Readiness.awaitRedis;
import static io.quarkiverse.ratelimit.test.health.fixtures.Readiness.data;
import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.test.health.fixtures.Readiness;
import io.quarkiverse.ratelimit.test.health.fixtures.StoppableRedis;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** Without Redis' own check, an application stays ready and reports the state of its Redis. */
@TestMethodOrder(OrderAnnotation.class)
class ReadinessWhenRedisStopsTest {

    private static final int PORT = StoppableRedis.port(ReadinessWhenRedisStopsTest.class);

    @RegisterExtension
    static final QuarkusUnitTest APP = Readiness.application(PORT, 0)
            .overrideRuntimeConfigKey(
                    "quarkus.smallrye-health.check.\"io.quarkus.redis.runtime.client.health.RedisHealthCheck\".enabled",
                    "false")
            .overrideConfigKey("quarkus.rate-limit.policies.logins.permits", "5")
            .overrideConfigKey("quarkus.rate-limit.policies.logins.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.logins.on-redis-failure", "deny");

    private final StoppableRedis redis = new StoppableRedis(PORT);

    @Inject
    RedisDataSource client;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    @Order(1)
    void applicationIsReadyAlthoughRedisHasNeverBeenThere() {
        assertThat(hosts).isEqualTo("redis://127.0.0.1:" + PORT);
        awaitRedis("unavailable");
        assertReady();
    }

    @Test
    void stoppedRedisIsUnavailableUntilItReturns() {
        redis.start();
        awaitRedis("connected");
        assertThat(data()).containsEntry("rate-limits", "on").containsEntry("on-redis-failure", "logins=deny, quotes=local")
                .doesNotContainKeys("reason", "unavailable-for-seconds");

        redis.close();
        awaitRedis("unavailable");
        assertReady();
        assertThat(data()).containsKey("unavailable-for-seconds").hasEntrySatisfying("reason",
                reason -> assertThat((String) reason).matches("Connection refused.*|The connection to Redis was closed"));
        assertThat(get("/quotes").statusCode()).isEqualTo(200);

        redis.start();
        awaitRedis("connected");
    }

    @Test
    void hungRedisGetsNoRequest() throws Exception {
        redis.start();
        awaitRedis("connected");
        String pid = client.execute("INFO", "server").toString().replaceAll("(?s).*process_id:(\\d+).*", "$1");

        signal("STOP", pid);
        try {
            awaitRedis("unavailable");
            assertReady();
            assertThat(data()).containsEntry("reason", "Redis did not reply in time");
            assertThat(get("/quotes").statusCode()).isEqualTo(200);
        } finally {
            signal("CONT", pid);
        }
        awaitRedis("connected");
    }

    private static void signal(String name, String pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
    }
}
