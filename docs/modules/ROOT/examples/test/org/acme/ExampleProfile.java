package org.acme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

import org.acme.grpc.OwnStatusTest;

import io.quarkus.test.junit.QuarkusTestProfile;

/** Adds the properties of files that pages include. */
public abstract class ExampleProfile implements QuarkusTestProfile {

    private final Map<String, String> properties = new HashMap<>();

    protected ExampleProfile(String... files) {
        Properties read = new Properties();
        for (String file : files) {
            try (var in = Files.newInputStream(Path.of("modules/ROOT/examples/resources", file))) {
                read.load(in);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        read.forEach((name, value) -> properties.put((String) name, (String) value));
    }

    @Override
    public Map<String, String> getConfigOverrides() {
        return properties;
    }

    /** Behind a proxy, with administration and a log of shadow policies, and with the configuration of the skill. */
    public static class InProduction extends ExampleProfile {
        public InProduction() {
            super("behind-proxy.properties", "administer.properties", "shadow-log.properties");
        }

        @Override
        public Map<String, String> getConfigOverrides() {
            Map<String, String> overrides = new HashMap<>(SkillTest.properties());
            overrides.putAll(super.getConfigOverrides());
            return overrides;
        }
    }

    /** With responses of the application to denials, of HTTP and of gRPC. */
    public static class OwnResponses implements QuarkusTestProfile {
        @Override
        public String getConfigProfile() {
            return "custom-responses";
        }

        @Override
        public Set<Class<?>> getEnabledAlternatives() {
            return Set.of(OwnStatusTest.Aborting.class);
        }
    }

    /** With these responses, while a Redis Cluster is unavailable. */
    public static class ClusterUnavailable extends ExampleProfile {
        public ClusterUnavailable() {
            super("redis-cluster.properties");
        }

        @Override
        public String getConfigProfile() {
            return new OwnResponses().getConfigProfile();
        }

        @Override
        public Set<Class<?>> getEnabledAlternatives() {
            return new OwnResponses().getEnabledAlternatives();
        }
    }

    /** One of two instances, while Redis is unavailable. */
    public static class RedisUnavailable extends ExampleProfile {
        public RedisUnavailable() {
            super("redis-unavailable.properties");
        }

        @Override
        public Map<String, String> getConfigOverrides() {
            Map<String, String> overrides = new HashMap<>(super.getConfigOverrides());
            overrides.put("quarkus.redis.hosts", "redis://127.0.0.1:1");
            return overrides;
        }
    }
}
