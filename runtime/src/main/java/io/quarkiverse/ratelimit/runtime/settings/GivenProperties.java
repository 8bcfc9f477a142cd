package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import io.smallrye.config.ConfigValue;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.NameIterator;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SysPropConfigSource;

/** Holds all properties that are set under {@code quarkus.rate-limit}, known or unknown, by the text of their paths. */
final class GivenProperties {

    private static final String ROOT = PropertyPath.ROOT.toString();

    final SortedMap<String, ConfigValue> values = new TreeMap<>();
    /** The paths of elements as the names of their properties spell them, with or without quotes. */
    final Map<String, String> spellings = new HashMap<>(Map.of(ROOT, ROOT));
    /** The environment variables that are set for the limiter, or look so. */
    final List<String> variables = new ArrayList<>();
    private final SmallRyeConfig source;
    private final Mistakes mistakes;

    /** Reports values that are empty, and names that are mistakes. */
    GivenProperties(SmallRyeConfig source, Mistakes mistakes) {
        this.source = source;
        this.mistakes = mistakes;
        SortedSet<String> names = new TreeSet<>();
        for (String name : source.getPropertyNames()) {
            if (name.equals(ROOT) || name.startsWith(ROOT + '.')) {
                names.add(name);
            } else if (name.indexOf('.') < 0 && PropertyPath.variable(name).startsWith(PropertyPath.VARIABLES)) {
                variables.add(name);
            }
        }
        names.forEach(this::add);
    }

    private void add(String name) {
        ConfigValue value = source.getConfigValue(name);
        // nobody has set or spelled a default
        if (value.isDefault()) {
            return;
        }
        PropertyPath path = PropertyPath.of(name);
        checkSpelling(name, path);
        if (value.getValue() == null) {
            if (value.getRawValue() != null) {
                mistakes.add(path.toString(), "=" + value.getRawValue()
                        + " refers to a property that is not set. Set it, or give it a default like ${name:default}.");
            }
        } else if (!isItemOfAList(path.toString())) {
            values.put(path.toString(), value);
            if (value.getValue().isBlank()) {
                mistakes.add(path.toString(), " (" + sourceOf(path.toString()) + ") is empty. Give it a value or remove it.");
            }
        }
    }

    /** The properties of a YAML list appear twice: as single items and as one text. */
    private boolean isItemOfAList(String name) {
        return name.endsWith("]") && values.containsKey(name.substring(0, name.lastIndexOf('[')));
    }

    /** Reports an element whose name is empty or written in several ways, as its properties cannot be read. */
    private void checkSpelling(String name, PropertyPath path) {
        NameIterator end = new NameIterator(name);
        for (int length = 1; length < path.size(); length++) {
            end.next();
            PropertyPath element = path.start(length);
            String spelling = name.substring(0, end.getPosition());
            String other = spellings.putIfAbsent(element.toString(), spelling);
            if (element.last().isEmpty()) {
                mistakes.add(element + ".* has an empty name. Give it a name or remove it.");
                return;
            }
            if (other != null && !other.equals(spelling)) {
                mistakes.add(element + ".* is written in several ways: " + other + ", " + spelling
                        + ". Write it in one way everywhere; in an environment variable a quote is an underscore.");
                return;
            }
        }
    }

    /** The text that is set for a property, by its name or by an environment variable, unless it is blank. */
    Optional<String> text(PropertyPath path) {
        String name = path.toString();
        ConfigValue value = values.get(name);
        if (value == null && !variables.isEmpty()) {
            // a variable that overrides a quoted name can be found only by the name with quotes
            String parent = path.start(path.size() - 1).toString();
            value = source.getConfigValue(spellings.getOrDefault(parent, parent) + '.' + path.last());
        }
        String text = value == null || value.isDefault() || value.getValue() == null ? itemsOf(name) : value.getValue();
        return text.isBlank() ? Optional.empty() : Optional.of(text);
    }

    /** Joins the items of a list that are set one by one. */
    private String itemsOf(String list) {
        List<String> items = new ArrayList<>();
        for (String name = list + "[0]"; values.containsKey(name); name = list + "[" + items.size() + "]") {
            items.add(values.get(name).getValue());
        }
        return String.join(",", items);
    }

    /** Whether environment variables set all properties below {@code path}. */
    boolean isOnlyByVariables(PropertyPath path) {
        // a slash is the character after a dot
        return !variables.isEmpty() && values.subMap(path + ".", path + "/").values().stream()
                .allMatch(value -> value.getConfigSourceName().startsWith(EnvConfigSource.NAME));
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
}
