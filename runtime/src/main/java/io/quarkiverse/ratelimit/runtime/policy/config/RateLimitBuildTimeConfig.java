package io.quarkiverse.ratelimit.runtime.policy.config;

import static io.quarkus.redis.runtime.client.config.RedisConfig.DEFAULT_CLIENT_NAME;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;

/** Properties that are set at build time and cannot change at run time. Without groups, which take classes at the start. */
@ConfigMapping(prefix = "quarkus.rate-limit")
@ConfigRoot(phase = ConfigPhase.BUILD_AND_RUN_TIME_FIXED)
public interface RateLimitBuildTimeConfig {

    /**
     * Name of the Redis client that stores the limits, as in {@code quarkus.redis.<name>.hosts}. The default client is used
     * unless a name is given.
     */
    @ConfigDocDefault("the default client")
    @WithDefault(DEFAULT_CLIENT_NAME)
    String redisClient();

    /**
     * Starts a local {@code redis-server} in dev mode, in tests and by {@code quarkus:run}, when the client's {@code hosts} are
     * not configured and Redis' own Dev Service cannot start a container or is disabled. The server is a {@code redis-server}
     * or {@code valkey-server}, 6.2 or newer, on the {@code PATH}, else an embedded one.
     */
    @WithName("devservices.enabled")
    @WithDefault("true")
    boolean devServicesEnabled();

    /**
     * Serves administration over HTTP, in production too: JSON and a page at {@code /q/rate-limit}, on the management interface
     * if {@code quarkus.management.enabled} is {@code true}. Without a management interface,
     * {@code quarkus.rate-limit.admin.roles-allowed} is required. In dev mode administration is always on, without roles unless
     * they are set.
     */
    @WithName("admin.enabled")
    @WithDefault("false")
    boolean adminEnabled();

    /**
     * Adds a readiness check that reports the state of the limiter's Redis, if the application has
     * {@code quarkus-smallrye-health}.
     */
    @WithName("health.enabled")
    @WithDefault("true")
    boolean healthEnabled();

    /** Adds metrics of decisions and of Redis, if the application has Micrometer. */
    @WithName("metrics.enabled")
    @WithDefault("true")
    boolean metricsEnabled();

    /** Adds the decision to the current span, if the application has {@code quarkus-opentelemetry}. */
    @WithName("tracing.enabled")
    @WithDefault("true")
    boolean tracingEnabled();
}
