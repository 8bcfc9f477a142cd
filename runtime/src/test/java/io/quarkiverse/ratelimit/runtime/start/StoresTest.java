package io.quarkiverse.ratelimit.runtime.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.topology.RedisClients;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.mutiny.Uni;

class StoresTest {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final CapturedLog log = new CapturedLog();

    @BeforeEach
    void enableDebug() {
        LOG.setLevel(Level.ALL);
    }

    @AfterEach
    void close() {
        LOG.setLevel(null);
        log.close();
    }

    @Test
    void policiesNeedTheHostsOfTheirRedis() {
        assertThatThrownBy(() -> openWithoutHosts(Map.of("quotes", new Policy("quotes", List.of(), KeyTemplate.GLOBAL,
                MissingKey.IP, OnRedisFailure.LOCAL, Mode.ENFORCE, true)))).isInstanceOf(ConfigurationException.class)
                .hasMessage("Rate limits are counted in Redis, but quarkus.redis.hosts is not set."
                        + " Set quarkus.redis.hosts, such as redis://localhost:6379, or quarkus.redis.hosts-provider-name."
                        + " Without Redis, set quarkus.rate-limit.store=memory: each instance then counts alone.");
    }

    @Test
    void withoutPoliciesNoRedisIsNeededUntilALimiterIsMade() {
        Stores stores = openWithoutHosts(Map.of());

        assertThat(stores.areUsed()).isFalse();
        assertThatThrownBy(stores::require).isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("quarkus.redis.hosts is not set");
    }

    private static Stores openWithoutHosts(Map<String, Policy> policies) {
        RedisConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors().addDiscoveredConverters()
                .withMapping(RedisConfig.class).build().getConfigMapping(RedisConfig.class);
        Settings settings = new Settings(true, Store.REDIS, "test", Duration.ofSeconds(1), OnRedisFailure.LOCAL, 1, 0, Set.of(),
                64, 0, null, List.of(), new TreeMap<>(policies), List.of(), new TreeMap<>());
        return Stores.open(settings, new RedisClients(config, null, null, null, null, List.of()), "<default>", null, null);
    }

    @Test
    void waitEndsAlsoWithoutAResult() {
        assertTimeoutPreemptively(Duration.ofSeconds(30),
                () -> Stores.awaitShortly(Uni.createFrom().nothing(), "It never ends"));

        assertThat(log.last()).startsWith("It never ends");
    }

    @Test
    void logSaysWhatIsNotDone() {
        Stores.awaitShortly(Uni.createFrom().failure(new IllegalStateException("no reply")), "Permits are not refunded");

        assertThat(log.last()).startsWith("Permits are not refunded").contains("no reply").doesNotContain("connected");
    }
}
