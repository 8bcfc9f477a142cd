package io.quarkiverse.ratelimit.runtime.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Locale;
import java.util.function.Function;

import org.eclipse.microprofile.config.spi.Converter;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkus.runtime.configuration.DurationConverter;

/**
 * Converters that return {@code null} for a text that does not convert.
 * <p>
 * An exception of a converter would stop the start before any other mistake is found. With these the mapping always
 * succeeds, and the settings report such texts together with all other mistakes.
 */
public final class Lenient {

    private Lenient() {
    }

    /** How the constant is written in configuration: in lower case, with dashes. */
    public static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The text of an absent property is empty. Its conversion would throw an exception, which takes long. */
    private static <T> T converted(String text, Function<String, T> conversion) {
        if (text.isBlank()) {
            return null;
        }
        try {
            return conversion.apply(text.strip());
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            return null;
        }
    }

    /** Also accepts the name of the constant, which is what Quarkus' Dev UI offers. */
    private static <E extends Enum<E>> E constant(Class<E> type, String text) {
        String value = text.strip();
        if (!value.isEmpty()) {
            for (E constant : type.getEnumConstants()) {
                if (constant.name().equals(value) || written(constant).equals(value)) {
                    return constant;
                }
            }
        }
        return null;
    }

    public static final class ToLong implements Converter<Long> {
        @Override
        public Long convert(String text) {
            return converted(text, Long::valueOf);
        }
    }

    public static final class ToInteger implements Converter<Integer> {
        @Override
        public Integer convert(String text) {
            return converted(text, Integer::valueOf);
        }
    }

    /** Accepts only {@code true} and {@code false}, in any case. */
    public static final class ToBoolean implements Converter<Boolean> {
        @Override
        public Boolean convert(String text) {
            return converted(text,
                    t -> t.equalsIgnoreCase("true") ? Boolean.TRUE : t.equalsIgnoreCase("false") ? Boolean.FALSE : null);
        }
    }

    public static final class ToDuration implements Converter<Duration> {
        @Override
        public Duration convert(String text) {
            return converted(text, DurationConverter::parseDuration);
        }
    }

    public static final class ToZone implements Converter<ZoneId> {
        @Override
        public ZoneId convert(String text) {
            return converted(text, ZoneId::of);
        }
    }

    public static final class ToAlgorithm implements Converter<Algorithm> {
        @Override
        public Algorithm convert(String text) {
            return constant(Algorithm.class, text);
        }
    }

    public static final class ToRefill implements Converter<Refill> {
        @Override
        public Refill convert(String text) {
            return constant(Refill.class, text);
        }
    }

    public static final class ToCalendarPeriod implements Converter<CalendarPeriod> {
        @Override
        public CalendarPeriod convert(String text) {
            return constant(CalendarPeriod.class, text);
        }
    }

    public static final class ToCounts implements Converter<Counts> {
        @Override
        public Counts convert(String text) {
            return constant(Counts.class, text);
        }
    }

    public static final class ToMissingKey implements Converter<MissingKey> {
        @Override
        public MissingKey convert(String text) {
            return constant(MissingKey.class, text);
        }
    }

    public static final class ToOnRedisFailure implements Converter<OnRedisFailure> {
        @Override
        public OnRedisFailure convert(String text) {
            return constant(OnRedisFailure.class, text);
        }
    }

    public static final class ToStore implements Converter<Store> {
        @Override
        public Store convert(String text) {
            return constant(Store.class, text);
        }
    }

    public static final class ToMode implements Converter<Mode> {
        @Override
        public Mode convert(String text) {
            return constant(Mode.class, text);
        }
    }

    public static final class ToHeaderFamily implements Converter<HeaderFamily> {
        @Override
        public HeaderFamily convert(String text) {
            return constant(HeaderFamily.class, text);
        }
    }
}
