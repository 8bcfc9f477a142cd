package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.smallrye.config.NameIterator;

/** Holds the prefixes of property names as the sources spell them, with or without quotes. */
final class Spellings {

    private static final Comparator<PropertyPath> OUTER_FIRST = Comparator.comparingInt(PropertyPath::size);

    private final Map<PropertyPath, Set<String>> byPath = new HashMap<>();
    private final Set<String> known = new HashSet<>();

    void add(String name, PropertyPath path) {
        NameIterator end = new NameIterator(name);
        for (int length = 1; length <= path.size(); length++) {
            end.next();
            String spelling = name.substring(0, end.getPosition());
            if (known.add(spelling)) {
                byPath.computeIfAbsent(path.start(length), start -> new TreeSet<>()).add(spelling);
            }
        }
    }

    Set<String> ofPath(PropertyPath path) {
        return byPath.getOrDefault(path, Set.of(path.toString()));
    }

    /** Reports names that are empty or written in several ways. Their properties cannot be read. */
    void report(Mistakes mistakes) {
        List<PropertyPath> mistaken = new ArrayList<>(byPath.keySet());
        mistaken.removeIf(path -> !isMistaken(path));
        mistaken.sort(OUTER_FIRST);
        for (PropertyPath path : mistaken) {
            mistakes.addBelow(path, path.last().isEmpty() ? " has an empty name. Give it a name or remove it."
                    : " is written in several ways: " + String.join(", ", byPath.get(path))
                            + ". Write it in one way everywhere; in an environment variable a quote is an underscore.");
            mistakes.ignoreBelow(path);
        }
    }

    private boolean isMistaken(PropertyPath path) {
        return path.last().isEmpty()
                || byPath.get(path).size() > 1 && byPath.get(path.start(path.size() - 1)).size() == 1;
    }
}
