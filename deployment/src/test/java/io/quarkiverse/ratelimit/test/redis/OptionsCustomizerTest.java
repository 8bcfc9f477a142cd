package io.quarkiverse.ratelimit.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.quarkus.test.QuarkusUnitTest;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;

/** A customizer of the application changes the options of each new connection of the limiter. */
class OptionsCustomizerTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Address.class))
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.three.permits", "3")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.three.period", "1h")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.three.key", "global");

    @Inject
    RateLimiters limiters;

    @Inject
    Address address;

    @Test
    void nextConnectionUsesTheOptionsOfThatMoment() {
        assertThat(source()).isEqualTo(Source.FALLBACK);

        address.isWrong = false;

        await().atMost(Duration.ofSeconds(30)).until(() -> source() == Source.REDIS);
        assertThat(address.seen).isNotEmpty().allSatisfy(options -> {
            assertThat(options.getType()).isEqualTo(RedisClientType.STANDALONE);
            assertThat(options.getEndpoints()).hasSize(1);
        });
    }

    private Source source() {
        return limiters.get("three").peek().source();
    }

    @Singleton
    public static class Address implements RedisOptionsCustomizer {

        private final List<RedisOptions> seen = new CopyOnWriteArrayList<>();
        private volatile boolean isWrong = true;

        @Override
        public void customize(String clientName, RedisOptions options) {
            seen.add(options);
            if (isWrong) {
                options.setConnectionString("redis://127.0.0.1:1");
            }
        }
    }
}
