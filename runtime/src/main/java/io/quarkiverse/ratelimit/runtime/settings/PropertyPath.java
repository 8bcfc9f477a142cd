package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.List;

import io.smallrye.config.NameIterator;

/**
 * Splits the name of a property into segments without quotes. Its text quotes a segment only if necessary. So names that
 * differ only in unnecessary quotes are equal.
 */
record PropertyPath(List<String> segments) {

    /** The segment that stands for any name of a policy, limit, plan or route. */
    static final String ANY = "*";
    static final PropertyPath ROOT = of("quarkus.rate-limit");

    PropertyPath {
        segments = List.copyOf(segments);
    }

    static PropertyPath of(String name) {
        List<String> segments = new ArrayList<>();
        NameIterator names = new NameIterator(name);
        while (names.hasNext()) {
            segments.add(names.getNextSegment());
            names.next();
        }
        return new PropertyPath(segments);
    }

    PropertyPath child(String... more) {
        List<String> all = new ArrayList<>(segments);
        all.addAll(List.of(more));
        return new PropertyPath(all);
    }

    /** The first {@code length} segments. */
    PropertyPath start(int length) {
        return new PropertyPath(segments.subList(0, length));
    }

    /** This path with every {@link #ANY} replaced by the name in {@code actual}. */
    PropertyPath named(PropertyPath actual) {
        List<String> named = new ArrayList<>(segments);
        for (int i = 0; i < Math.min(size(), actual.size()); i++) {
            if (named.get(i).equals(ANY)) {
                named.set(i, actual.segments.get(i));
            }
        }
        return new PropertyPath(named);
    }

    /** Whether this path equals {@code other}. {@link #ANY} in this path matches every segment. */
    boolean matches(PropertyPath other) {
        return size() == other.size() && matchesStartOf(other);
    }

    boolean startsWith(PropertyPath other) {
        return size() >= other.size() && other.matchesStartOf(this);
    }

    /** @param other at least as long as this path */
    private boolean matchesStartOf(PropertyPath other) {
        for (int i = 0; i < size(); i++) {
            String segment = segments.get(i);
            if (!segment.equals(ANY) && !segment.equals(other.segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    String last() {
        return segments.get(size() - 1);
    }

    int size() {
        return segments.size();
    }

    // the methods that Java adds to a record take long when they are called first

    @Override
    public boolean equals(Object other) {
        return other instanceof PropertyPath path && path.segments.equals(segments);
    }

    @Override
    public int hashCode() {
        return segments.hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String segment : segments) {
            text.append(text.isEmpty() ? "" : ".");
            if (segment.isEmpty() || segment.contains(".")) {
                text.append('"').append(segment).append('"');
            } else {
                text.append(segment);
            }
        }
        return text.toString();
    }
}
