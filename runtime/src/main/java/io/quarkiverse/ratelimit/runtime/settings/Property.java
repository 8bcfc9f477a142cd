package io.quarkiverse.ratelimit.runtime.settings;

import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.quarkus.runtime.configuration.DurationConverter;

/**
 * A property's text and what it can be converted to. Every conversion answers nothing when the text is absent or blank,
 * and reports a mistake and answers nothing when it does not convert.
 */
record Property(String name, Optional<String> text, Mistakes mistakes) {

    /** What is written where nothing is meant. */
    static final String NONE = "none";

    private static final Pattern WHOLE = Pattern.compile("-?\\d{1,30}");

    Property {
        text = text.filter(Predicate.not(String::isBlank));
    }

    /** This property, which is a mistake when it is absent. */
    Property required(String remedy) {
        if (text.isEmpty() && !mistakes.isAbout(name)) {
            mistakes.add(name, " is missing. " + remedy);
        }
        return this;
    }

    Optional<Long> whole(long min, long max) {
        Optional<Long> number = text.map(String::strip).filter(WHOLE.asMatchPredicate()).map(BigInteger::new)
                .filter(n -> n.compareTo(BigInteger.valueOf(min)) >= 0 && n.compareTo(BigInteger.valueOf(max)) <= 0)
                .map(BigInteger::longValueExact);
        return number.isPresent() ? number : wrong("must be a whole number from " + min + " to " + max + ".");
    }

    Optional<Duration> duration(Duration min, Duration max) {
        Duration duration;
        try {
            duration = text.map(DurationConverter::parseDuration).orElse(null);
        } catch (IllegalArgumentException | ArithmeticException e) {
            return wrong("is no duration. Write it like 500ms, 10s, 1m, 1h, 1d or PT1M30S; a number alone means seconds.");
        }
        if (duration == null) {
            return Optional.empty();
        }
        if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
            return wrong("must be from " + shortest(min) + " to " + shortest(max) + ".");
        }
        return duration.toNanos() % 1000 == 0 ? Optional.of(duration) : wrong("must be a whole number of microseconds.");
    }

    /** A time zone; one that is at the same offset always is that offset. */
    Optional<ZoneId> zone() {
        try {
            return text.map(String::strip).map(ZoneId::of).map(ZoneId::normalized);
        } catch (DateTimeException e) {
            return wrong("is no time zone. Write it like Europe/Berlin, UTC or +02:00.");
        }
    }

    Optional<Boolean> trueOrFalse() {
        Optional<Boolean> value = text.map(t -> t.strip().toLowerCase(Locale.ROOT))
                .filter(t -> t.equals("true") || t.equals("false")).map(Boolean::valueOf);
        return value.isPresent() ? value : wrong("must be true or false.");
    }

    <E extends Enum<E>> Optional<E> oneOf(Class<E> type) {
        Optional<E> value = text.flatMap(t -> constant(type, t));
        boolean looksLikeYaml = text.filter(t -> t.equals("true") || t.equals("false")).isPresent();
        return value.isPresent() ? value
                : wrong("is not known. Known: " + known(type)
                        + (looksLikeYaml ? ". A bare on, off, yes or no in YAML is a boolean." : "."));
    }

    /** The comma-separated items; none where one of them is empty. */
    List<String> items() {
        List<String> items = text.stream().flatMap(t -> Arrays.stream(t.split(",", -1))).map(String::strip).toList();
        return items.contains("") ? this.<List<String>> wrong("has an empty item. Remove the comma or fill it in.")
                .orElse(List.of()) : items;
    }

    /** Any of the constants, comma-separated, or {@value #NONE} alone. */
    <E extends Enum<E>> Optional<Set<E>> anyOf(Class<E> type) {
        Set<E> values = EnumSet.noneOf(type);
        if (text.isEmpty() || text.get().strip().equals(NONE)) {
            return Optional.of(values);
        }
        for (String item : text.get().split(",", -1)) {
            Optional<E> value = constant(type, item);
            if (value.isEmpty()) {
                return wrong("must be any of " + known(type) + ", comma-separated, or " + NONE + " alone.");
            }
            values.add(value.get());
        }
        return Optional.of(values);
    }

    /** Reports a mistake unless there is no text to be mistaken. */
    <T> Optional<T> wrong(String message) {
        text.ifPresent(t -> mistakes.add(name, "=" + t + " " + message));
        return Optional.empty();
    }

    /** How the constant is written in configuration. */
    static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static String written(Set<? extends Enum<?>> constants) {
        return constants.stream().map(Property::written).collect(Collectors.joining(", "));
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

    private static <E extends Enum<E>> Optional<E> constant(Class<E> type, String text) {
        return Arrays.stream(type.getEnumConstants()).filter(e -> written(e).equals(text.strip())).findFirst();
    }

    private static <E extends Enum<E>> String known(Class<E> type) {
        return written(EnumSet.allOf(type));
    }
}
