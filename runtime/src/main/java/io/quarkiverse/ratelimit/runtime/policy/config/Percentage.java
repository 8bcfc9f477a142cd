package io.quarkiverse.ratelimit.runtime.policy.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.eclipse.microprofile.config.spi.Converter;

/** A whole percentage from 1% to 100%, such as {@code 80%}. */
public record Percentage(int value) {

    /** Returns whether a part is at least this percentage of the whole. */
    public boolean isReachedBy(long part, long whole) {
        return part * 100 >= whole * value;
    }

    /** Converts percentages with their sign, so that it is clear what a number means. */
    public static final class PercentageConverter implements Converter<Percentage> {

        private static final Pattern TEXT = Pattern.compile("([1-9][0-9]?|100)%");

        @Override
        public Percentage convert(String text) {
            Matcher percentage = TEXT.matcher(text.strip());
            if (!percentage.matches()) {
                throw new IllegalArgumentException("Not a percentage. Write a whole number from 1% to 100%, such as 80%.");
            }
            return new Percentage(Integer.parseInt(percentage.group(1)));
        }
    }
}
