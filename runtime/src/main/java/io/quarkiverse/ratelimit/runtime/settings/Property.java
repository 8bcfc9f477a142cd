package io.quarkiverse.ratelimit.runtime.settings;

import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.runtime.config.Lenient;

/**
 * A property with its text, if it is set, and its value, if the text converts or there is a default. The static methods
 * return the value if it is valid. Otherwise they report a mistake and return empty.
 */
record Property<T>(String name, Optional<String> text, Optional<T> value, Mistakes mistakes) {

    Property {
        text = isBlank(text) ? Optional.empty() : text;
        value = isBlank(value) ? Optional.empty() : value;
    }

    private static boolean isBlank(Optional<?> value) {
        return value.isPresent() && value.get() instanceof String string && string.isBlank();
    }

    /** Whether the property has a value, or a text that does not convert. */
    boolean isGiven() {
        return text.isPresent() || value.isPresent();
    }

    /** Reports a mistake if this property is absent. */
    Property<T> required(String remedy) {
        if (!isGiven() && !mistakes.isAbout(name)) {
            mistakes.add(name, " is missing. " + remedy);
        }
        return this;
    }

    /** Reports a mistake if the property has a text. */
    <R> Optional<R> wrong(String message) {
        if (text.isPresent()) {
            mistakes.add(name, "=" + text.get() + " " + message);
        }
        return Optional.empty();
    }

    /** Whether the text converts, or there is none. Checked before a message is composed, which takes long. */
    private boolean converts() {
        return value.isPresent() || text.isEmpty();
    }

    static <N extends Number> Optional<N> whole(Property<N> property, long min, long max) {
        boolean allowed = property.converts() && (property.value.isEmpty()
                || property.value.get().longValue() >= min && property.value.get().longValue() <= max);
        return allowed ? property.value : property.wrong("must be a whole number from " + min + " to " + max + ".");
    }

    static Optional<Duration> duration(Property<Duration> property, Duration min, Duration max) {
        if (property.value.isEmpty()) {
            return property.wrong(
                    "is no duration. Write it like 500ms, 10s, 1m, 1h, 1d or PT1M30S; a number alone means seconds.");
        }
        Duration duration = property.value.get();
        if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
            boolean inSeconds = duration.compareTo(max) > 0 && property.text.filter(t -> t.strip().matches("\\d+")).isPresent();
            return property.wrong("must be from " + shortest(min) + " to " + shortest(max) + "."
                    + (inSeconds ? " A number alone means seconds." : ""));
        }
        return duration.toNanos() % 1000 == 0 ? property.value : property.wrong("must be a whole number of microseconds.");
    }

    /** A time zone. A zone with a constant offset is replaced by that offset. */
    static Optional<ZoneId> zone(Property<ZoneId> property) {
        return property.converts() ? property.value.map(ZoneId::normalized)
                : property.wrong("is no time zone. Write it like Europe/Berlin, UTC or +02:00.");
    }

    static Optional<Boolean> trueOrFalse(Property<Boolean> property) {
        return property.converts() ? property.value : property.wrong("must be true or false.");
    }

    static <E extends Enum<E>> Optional<E> oneOf(Class<E> type, Property<E> property) {
        if (property.converts()) {
            return property.value;
        }
        boolean looksLikeYaml = property.text.filter(t -> t.equals("true") || t.equals("false")).isPresent();
        return property.wrong("is not known. Known: " + written(EnumSet.allOf(type))
                + (looksLikeYaml ? ". A bare on, off, yes or no in YAML is a boolean." : "."));
    }

    /** The items of a list; an empty list if an item is empty. */
    static List<String> items(Property<List<String>> property) {
        if (property.text.isEmpty() && property.value.isEmpty()) {
            return List.of();
        }
        if (property.texts().contains("")) {
            return property.<List<String>> wrong("has an empty item. Remove the comma or fill it in.").orElse(List.of());
        }
        return property.value.orElse(List.of()).stream().map(String::strip).filter(Predicate.not(String::isEmpty)).toList();
    }

    /** The text of each item of a list. */
    List<String> texts() {
        return text.stream().flatMap(t -> Arrays.stream(t.split(",", -1))).map(String::strip).toList();
    }

    static String written(Set<? extends Enum<?>> constants) {
        return constants.stream().map(Lenient::written).collect(Collectors.joining(", "));
    }

    private static String shortest(Duration duration) {
        if (duration.isZero()) {
            return "0";
        }
        if (duration.equals(Duration.ofDays(duration.toDays()))) {
            return duration.toDays() + "d";
        }
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }
}
