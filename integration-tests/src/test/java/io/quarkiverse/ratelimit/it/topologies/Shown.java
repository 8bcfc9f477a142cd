package io.quarkiverse.ratelimit.it.topologies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

import io.quarkus.test.junit.QuarkusTestProfile;

/** Configures the application as a file does that a page of the documentation shows, but for what started servers say. */
abstract class Shown implements QuarkusTestProfile {

    private final Map<String, String> properties = new HashMap<>(Map.of("quarkus.rate-limit.timeout", "5s"));

    /** @param said by servers */
    Shown(String file, String... said) {
        Properties read = new Properties();
        try (var in = Files.newInputStream(Path.of("../docs/modules/ROOT/examples/resources", file))) {
            read.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        read.forEach((name, value) -> properties.put((String) name, (String) value));
        for (String name : said) {
            if (properties.remove(name) == null) {
                throw new IllegalStateException(file + " does not say " + name);
            }
        }
    }

    @Override
    public Map<String, String> getConfigOverrides() {
        return properties;
    }
}
