package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import io.smallrye.config.ConfigValue;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SysPropConfigSource;

/** Holds all properties that are set under {@code quarkus.rate-limit}, known or unknown, by the text of their paths. */
final class GivenProperties {

    private static final String ROOT = PropertyPath.ROOT.toString();

    private final Map<String, ConfigValue> values = new TreeMap<>();
    private final Spellings spellings = new Spellings();
    private final SmallRyeConfig source;
    private final Mistakes mistakes;
    private final List<String> variables = new ArrayList<>();

    GivenProperties(SmallRyeConfig source, Mistakes mistakes) {
        this.source = source;
        this.mistakes = mistakes;
        for (String name : source.getPropertyNames()) {
            if (name.startsWith(ROOT)) {
                ConfigValue value = source.getConfigValue(name);
                // nobody has set or spelled a default
                if (!value.isDefault()) {
                    add(name, PropertyPath.of(name), value);
                }
            } else if (name.indexOf('.') < 0 && PropertyPath.variable(name).startsWith(PropertyPath.VARIABLES)) {
                variables.add(name);
            }
        }
        values.keySet().removeIf(this::isItemOfAList);
    }

    private void add(String name, PropertyPath path, ConfigValue value) {
        if (!path.startsWith(PropertyPath.ROOT)) {
            return;
        }
        spellings.add(name, path);
        if (value.getValue() != null) {
            values.put(path.toString(), value);
        } else if (value.getRawValue() != null) {
            mistakes.add(path.toString(),
                    "=" + value.getRawValue() + " refers to a property that is not set. Set it, or give it a"
                            + " default like ${name:default}.");
        }
    }

    /** The environment variables that are set for the limiter, or look so. */
    List<String> variables() {
        return variables;
    }

    Iterable<String> names() {
        return values.keySet();
    }

    /** Whether a property is set, by its name or by an environment variable, which may look like another property. */
    boolean contains(PropertyPath path) {
        return text(path).isPresent();
    }

    /** The text that is set for a property, unless it is blank. */
    Optional<String> text(PropertyPath path) {
        ConfigValue value = values.get(path.toString());
        String text = value != null ? value.getValue() : variables.isEmpty() ? null : variable(path);
        return Optional.ofNullable(text == null ? itemsOf(path) : text).filter(given -> !given.isBlank());
    }

    /** A variable that overrides a quoted name can be found only by the name with quotes. */
    private String variable(PropertyPath path) {
        PropertyPath parent = path.start(path.size() - 1);
        return spellings.ofPath(parent).stream()
                .map(start -> source.getConfigValue(start + "." + path.last())).filter(GivenProperties::isGiven).findFirst()
                .map(ConfigValue::getValue).orElse(null);
    }

    /** Joins the items of a list that are set one by one. */
    private String itemsOf(PropertyPath list) {
        List<String> items = new ArrayList<>();
        for (String name = list + "[0]"; values.containsKey(name); name = list + "[" + items.size() + "]") {
            items.add(values.get(name).getValue());
        }
        return String.join(",", items);
    }

    private static boolean isGiven(ConfigValue value) {
        return value.getValue() != null && !value.isDefault();
    }

    /** Whether environment variables set all properties below {@code path}. */
    boolean isOnlyByVariables(PropertyPath path) {
        return values.entrySet().stream().filter(entry -> PropertyPath.of(entry.getKey()).startsWith(path))
                .allMatch(entry -> entry.getValue().getConfigSourceName().startsWith(EnvConfigSource.NAME));
    }

    /** The source of a property or an environment variable, as users know it. */
    String sourceOf(String name) {
        ConfigValue value = values.get(name);
        return readable((value == null ? source.getConfigValue(name) : value).getConfigSourceName());
    }

    /** @param source the name that the source gives itself, which for a file contains its URL */
    static String readable(String source) {
        return switch (source) {
            case EnvConfigSource.NAME -> "environment variable";
            case SysPropConfigSource.NAME -> "system property";
            default -> source.replaceFirst("^\\w+\\[source=(?:.*/)?(.+)]$", "$1");
        };
    }

    /** Reports values that are empty, and names that are mistakes. */
    void reportMistakes() {
        values.forEach((name, value) -> {
            if (value.getValue().isBlank()) {
                mistakes.add(name, " (" + sourceOf(name) + ") is empty. Give it a value or remove it.");
            }
        });
        spellings.report(mistakes);
    }

    /** The properties of a YAML list appear twice: as single items and as one text. */
    private boolean isItemOfAList(String name) {
        return name.endsWith("]") && values.containsKey(name.substring(0, name.lastIndexOf('[')));
    }
}
