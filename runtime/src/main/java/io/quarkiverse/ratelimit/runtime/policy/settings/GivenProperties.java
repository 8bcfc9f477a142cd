package io.quarkiverse.ratelimit.runtime.policy.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.eclipse.microprofile.config.spi.ConfigSource;

import io.smallrye.config.ConfigValue;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.NameIterator;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SysPropConfigSource;

/** Holds all properties that are set under {@code quarkus.rate-limit}, known or unknown, by the text of their paths. */
final class GivenProperties {

    private static final String ROOT = PropertyPath.ROOT.toString();
    /** Properties whose empty value means the same as none, so that a profile can remove what another sets. */
    private static final Set<String> MAY_BE_EMPTY = Set.of(ROOT + ".admin.roles-allowed");
    private static final Pattern YAML = Pattern.compile("YamlConfigSource\\[source=(.*)]");
    /** List of statuses that has an exclamation mark outside of quotes, and nothing directly after it. */
    private static final String TAG = "count-when[\"']?\\s*:(?:[^:\"'#]|\"[^\"]*\"|'[^']*')*?[\\s\\[,]!(?=[\\s,\\]]|$)";

    final SortedMap<String, ConfigValue> values = new TreeMap<>();
    /** Paths of elements as the names of their properties spell them, with or without quotes. */
    final Map<String, String> spellings = new HashMap<>(Map.of(ROOT, ROOT));
    /** Environment variables that are set for the limiter, or seem to be. */
    final List<String> variables = new ArrayList<>();
    final SmallRyeConfig source;
    private final Mistakes mistakes;
    private final UnknownProperties unknown;

    /**
     * Reports values that are empty, and names that are mistakes.
     *
     * @param unknown recognizes the names whose values are read
     */
    GivenProperties(SmallRyeConfig source, Mistakes mistakes, UnknownProperties unknown) {
        this.source = source;
        this.mistakes = mistakes;
        this.unknown = unknown;
        SortedSet<String> names = new TreeSet<>();
        for (String name : source.getPropertyNames()) {
            if (name.equals(ROOT) || name.startsWith(ROOT + '.')) {
                names.add(name);
            } else if (name.indexOf('.') < 0 && PropertyPath.variable(name).startsWith(PropertyPath.VARIABLES)) {
                variables.add(name);
            }
        }
        for (String name : names) {
            add(name);
        }
        for (ConfigSource file : source.getConfigSources()) {
            checkTags(file.getName());
        }
    }

    private void add(String name) {
        ConfigValue value = source.getConfigValue(name);
        // nobody has set or spelled a default
        if (value.isDefault()) {
            return;
        }
        PropertyPath path = PropertyPath.of(name);
        checkSpelling(name, path);
        String text = path.toString();
        if (value.getValue() == null && unknown.isKnown(text)) {
            if (value.getRawValue() != null) {
                mistakes.add(text, "=" + value.getRawValue()
                        + " refers to a property that is not set. Set it, or give it a default like ${name:default}.");
            }
        } else if (value.getRawValue() != null && !isItemOfAList(text)) {
            values.put(text, value);
            if (unknown.isKnown(text) && value.getValue().isBlank() && !MAY_BE_EMPTY.contains(text)) {
                mistakes.add(text, " (" + sourceOf(text) + ") is empty. Give it a value or remove it.");
            }
        }
    }

    /**
     * Returns whether this is a single item of a YAML list. The properties of such a list appear twice: as items and as one
     * text.
     */
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

    /** Returns the text that is set for a property, by its name or by an environment variable, unless it is blank. */
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

    /** Reports a list of statuses in a YAML file, or an item of it, that has blanks inside of its quotes. */
    void checkBlanksOfYaml(PropertyPath path) {
        ConfigValue value = values.get(path.toString());
        if (value == null || !YAML.matcher(value.getConfigSourceName()).matches()) {
            return;
        }
        ConfigValue text = value;
        for (int item = 0; text.getValue() != null; item++) {
            if (!text.getValue().equals(text.getValue().strip())) {
                mistakes.add(path.toString(), "=\"" + text.getValue() + "\" begins or ends with a blank. Remove the blank.");
            }
            text = source.getConfigValue(value.getName() + "[" + item + "]");
        }
    }

    /**
     * Reports a list of statuses in a YAML file that has an exclamation mark outside of quotes. YAML takes it for a tag: before
     * a
     * blank, it drops the mark, so that the list means its opposite.
     */
    private void checkTags(String sourceName) {
        Matcher yaml = YAML.matcher(sourceName);
        if (!yaml.matches()) {
            return;
        }
        try (InputStream file = new URL(yaml.group(1)).openStream()) {
            if (Pattern.compile(TAG).matcher(new String(file.readAllBytes(), UTF_8)).find()) {
                mistakes.add(readable(sourceName) + " has a count-when with ! outside of quotes, which YAML takes for a tag"
                        + " and drops. Write it in quotes and without a blank, such as \"!2xx\".");
            }
        } catch (IOException unreadable) {
            // nothing is known of a file that is not there any more
        }
    }

    /** Joins the items of a list that are set one by one. */
    private String itemsOf(String list) {
        List<String> items = new ArrayList<>();
        for (String name = list + "[0]"; values.containsKey(name); name = list + "[" + items.size() + "]") {
            items.add(values.get(name).getValue());
        }
        return String.join(",", items);
    }

    /** Returns whether environment variables set all properties below {@code path}. */
    boolean isOnlyByVariables(PropertyPath path) {
        // a slash is the character after a dot
        return !variables.isEmpty() && values.subMap(path + ".", path + "/").values().stream()
                .allMatch(value -> value.getConfigSourceName().startsWith(EnvConfigSource.NAME));
    }

    /** Returns the source of a property or an environment variable, as users know it. */
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
