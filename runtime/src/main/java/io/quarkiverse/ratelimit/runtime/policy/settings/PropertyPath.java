package io.quarkiverse.ratelimit.runtime.policy.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import io.smallrye.config.NameIterator;

/** The segments of a property's name, without quotes. So names that differ only in unnecessary quotes are equal. */
record PropertyPath(List<String> segments) {

    /** Segment that stands for any name of a policy, limit, plan or route. */
    static final String ANY = "*";
    private static final Pattern SEPARATORS = Pattern.compile("[^A-Za-z0-9]+");
    static final PropertyPath ROOT = of("quarkus.rate-limit");
    /** Prefix of all environment variables of the limiter. */
    static final String VARIABLES = variable(ROOT.toString()) + "_";

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

    /** Returns the first {@code length} segments. */
    PropertyPath start(int length) {
        return new PropertyPath(segments.subList(0, length));
    }

    /** Returns this path with every {@link #ANY} replaced by the name in {@code actual}. */
    PropertyPath named(PropertyPath actual) {
        List<String> named = new ArrayList<>(segments);
        for (int i = 0; i < Math.min(size(), actual.size()); i++) {
            if (named.get(i).equals(ANY)) {
                named.set(i, actual.segments.get(i));
            }
        }
        return new PropertyPath(named);
    }

    /**
     * Returns the environment variable that names a property. It does not distinguish dots, dashes, quotes and case. So a
     * variable that overrides {@code logIn} or {@code "log-in"} of a file also appears as {@code login} or {@code log.in}.
     */
    static String variable(String name) {
        return SEPARATORS.matcher(name).replaceAll("_").toUpperCase(Locale.ROOT);
    }

    String last() {
        return segments.get(size() - 1);
    }

    int size() {
        return segments.size();
    }

    /** Returns the name of the property, with quotes only where they are necessary. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String segment : segments) {
            boolean quoted = segment.isEmpty() || segment.indexOf('.') >= 0;
            text.append(text.isEmpty() ? "" : ".").append(quoted ? '"' + segment + '"' : segment);
        }
        return text.toString();
    }
}
