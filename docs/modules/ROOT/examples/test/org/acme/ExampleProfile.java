package org.acme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

import io.quarkus.test.junit.QuarkusTestProfile;

/** Adds the properties of a file that a page includes. */
public abstract class ExampleProfile implements QuarkusTestProfile {

    private final Map<String, String> properties = new HashMap<>();

    protected ExampleProfile(String file) {
        Properties read = new Properties();
        try (var in = Files.newInputStream(Path.of("modules/ROOT/examples/resources", file))) {
            read.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        read.forEach((name, value) -> properties.put((String) name, (String) value));
    }

    @Override
    public Map<String, String> getConfigOverrides() {
        return properties;
    }
}
