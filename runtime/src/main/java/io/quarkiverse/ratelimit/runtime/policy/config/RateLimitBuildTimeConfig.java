package io.quarkiverse.ratelimit.runtime.policy.config;

import static io.quarkus.redis.runtime.client.config.RedisConfig.DEFAULT_CLIENT_NAME;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Properties that are set at build time and cannot change at run time. */
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

    /** Dev Services. */
    DevServices devservices();

    /** Administration. */
    Admin admin();

    /** Health. */
    Health health();

    /** Metrics. */
    Metrics metrics();

    /** Traces. */
    Tracing tracing();

    /** Redis in dev and test mode where there is no container runtime. */
    interface DevServices {

        /**
         * Starts a local {@code redis-server} in dev mode, in tests and by {@code quarkus:run}, when the client's {@code hosts}
         * are not configured and Redis' own Dev Service cannot start a container or is disabled. The server is a
         * {@code redis-server} or {@code valkey-server}, 6.2 or newer, on the {@code PATH}, else an embedded one.
         */
        @WithDefault("true")
        boolean enabled();
    }

    /** Administration over HTTP. */
    interface Admin {

        /**
         * Serves administration over HTTP, in production too: JSON and a page at {@code /q/rate-limit}, on the management
         * interface if {@code quarkus.management.enabled} is {@code true}. Without a management interface,
         * {@code quarkus.rate-limit.admin.roles-allowed} is required. In dev mode administration is always on, without roles
         * unless they are set.
         */
        @WithDefault("false")
        boolean enabled();
    }

    /** Health of the limiter. */
    interface Health {

        /**
         * Adds a readiness check that reports the state of the limiter's Redis, if the application has
         * {@code quarkus-smallrye-health}.
         */
        @WithDefault("true")
        boolean enabled();
    }

    /** Metrics of the limiter. */
    interface Metrics {

        /** Adds metrics of decisions and of Redis, if the application has Micrometer. */
        @WithDefault("true")
        boolean enabled();
    }

    /** Traces of limited calls. */
    interface Tracing {

        /** Adds the decision to the current span, if the application has {@code quarkus-opentelemetry}. */
        @WithDefault("true")
        boolean enabled();
    }
}
