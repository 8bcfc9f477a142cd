package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.smallrye.config.NameIterator;

/**
 * Splits the name of a property into segments without quotes. Its text quotes a segment only if necessary. So names that
 * differ only in unnecessary quotes are equal.
 */
final class PropertyPath {

    /** The segment that stands for any name of a policy, limit, plan or route. */
    static final String ANY = "*";
    static final PropertyPath ROOT = of("quarkus.rate-limit");
    /** The prefix of all environment variables of the limiter. */
    static final String VARIABLES = ROOT.variable() + "_";

    private final List<String> segments;
    private final String text;

    /** @param segments must not change afterwards */
    private PropertyPath(List<String> segments, String text) {
        this.segments = segments;
        this.text = text;
    }

    static PropertyPath of(String name) {
        List<String> segments = new ArrayList<>();
        NameIterator names = new NameIterator(name);
        while (names.hasNext()) {
            segments.add(names.getNextSegment());
            names.next();
        }
        return of(segments);
    }

    private static PropertyPath of(List<String> segments) {
        StringBuilder text = new StringBuilder();
        append(segments, text);
        return new PropertyPath(segments, text.toString());
    }

    private static void append(List<String> segments, StringBuilder text) {
        for (String segment : segments) {
            text.append(text.isEmpty() ? "" : ".");
            if (segment.isEmpty() || segment.indexOf('.') >= 0) {
                text.append('"').append(segment).append('"');
            } else {
                text.append(segment);
            }
        }
    }

    PropertyPath child(String... more) {
        List<String> children = List.of(more);
        List<String> all = new ArrayList<>(segments);
        all.addAll(children);
        StringBuilder longer = new StringBuilder(text);
        append(children, longer);
        return new PropertyPath(all, longer.toString());
    }

    /** The first {@code length} segments. */
    PropertyPath start(int length) {
        return of(segments.subList(0, length));
    }

    /** This path with every {@link #ANY} replaced by the name in {@code actual}. */
    PropertyPath named(PropertyPath actual) {
        List<String> named = new ArrayList<>(segments);
        for (int i = 0; i < Math.min(size(), actual.size()); i++) {
            if (named.get(i).equals(ANY)) {
                named.set(i, actual.segments.get(i));
            }
        }
        return of(named);
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

    /** The environment variable that names this property. */
    String variable() {
        return variable(text);
    }

    /**
     * The environment variable that names a property. It does not distinguish dots, dashes, quotes and case. So a variable that
     * overrides {@code logIn} or {@code "log-in"} of a file also appears as {@code login} or {@code log.in}.
     */
    static String variable(String name) {
        StringBuilder variable = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
                variable.append(Character.toUpperCase(c));
            } else if (variable.isEmpty() || variable.charAt(variable.length() - 1) != '_') {
                variable.append('_');
            }
        }
        return variable.toString();
    }

    List<String> segments() {
        return Collections.unmodifiableList(segments);
    }

    String last() {
        return segments.get(size() - 1);
    }

    int size() {
        return segments.size();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PropertyPath path && path.segments.equals(segments);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
