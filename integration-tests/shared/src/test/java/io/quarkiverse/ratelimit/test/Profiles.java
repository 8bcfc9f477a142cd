package io.quarkiverse.ratelimit.test;

import java.nio.file.Path;
import java.util.Map;

import io.quarkus.test.junit.QuarkusTestProfile;

/** What several classes need besides policies, resources and beans. The classes of a profile share one more start. */
public final class Profiles {

    private Profiles() {
    }

    /** Behind a proxy, with a Redis that other applications use too, few delayed calls, and a log of denials. */
    public static final class Deployed implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.http.proxy.proxy-address-forwarding", "true",
                    "quarkus.http.proxy.trusted-proxies", "127.0.0.1,10.0.0.0/8",
                    "quarkus.rate-limit.key-prefix", "app:limits",
                    "quarkus.rate-limit.max-delayed", "2",
                    "quarkus.log.category.\"io.quarkiverse.ratelimit.denied\".level", "DEBUG");
        }
    }

    /**
     * Filters, mappers and writers of the application see all requests and responses, its beans that never reply take little
     * time, and callers are authenticated where that is needed.
     */
    public static final class Providers implements QuarkusTestProfile {

        public static final String PROPERTY = "application.providers";

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of(PROPERTY, "true",
                    "quarkus.http.auth.proactive", "false",
                    "quarkus.rate-limit.timeout", "3s",
                    "quarkus.log.category.\"io.quarkiverse.ratelimit\".level", "DEBUG",
                    "quarkus.log.category.\"io.quarkiverse.ratelimit\".min-level", "DEBUG");
        }
    }

    /** One of two instances, while Redis is unavailable. */
    public static final class WithoutRedis implements QuarkusTestProfile {

        /** Each line begins with the level and the logger. */
        public static final Path LOG = Path.of("target", "without-redis.log");

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.redis.hosts", "redis://127.0.0.1:1",
                    "quarkus.rate-limit.replicas", "2",
                    "quarkus.log.file.enabled", "true",
                    "quarkus.log.file.path", LOG.toString(),
                    "quarkus.log.file.format", "%p %c %s%n");
        }
    }
}
