package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** The limiter's clients begin with the options of the configuration. */
class ConfiguredOptionsTest {

    private final ConfiguredOptions configured = new ConfiguredOptions();

    @Test
    void laterChangesAreNotKept() {
        RedisOptions ofApplication = new RedisOptions().setPassword("configured");
        configured.customize("sessions", ofApplication);

        change(ofApplication);
        assertConfigured(options());
        change(options());
        assertConfigured(options());
    }

    private RedisOptions options() {
        return configured.of("sessions", ConfiguredOptionsTest::noClient);
    }

    private static void change(RedisOptions options) {
        options.setPassword("changed").getNetClientOptions().setSsl(true);
    }

    private static void assertConfigured(RedisOptions options) {
        assertThat(options.getPassword()).isEqualTo("configured");
        assertThat(options.getNetClientOptions().isSsl()).isFalse();
    }

    private static Redis noClient() {
        throw new AssertionError("The application has created the client");
    }
}
