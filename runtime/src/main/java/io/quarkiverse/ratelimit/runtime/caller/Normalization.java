package io.quarkiverse.ratelimit.runtime.caller;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Makes different spellings of a key part equal. */
public enum Normalization {
    /** Removes white space of any kind and control characters at the start and the end. */
    TRIM,
    /** Converts letters to lower case, as Unicode defines it for all languages together. */
    LOWER_CASE,
    /** Converts text to the Unicode form NFKC: composed accents, and ordinary characters in place of wide and similar ones. */
    NFKC;

    /** Maximum length of a text in NFKC, in characters. Longer ones would take quadratic time if they have many accents. */
    private static final int MAX_LENGTH = 1_000;

    /**
     * Returns the steps that apply these normalizations. To apply them twice changes nothing more. Without white space, a text
     * is not too long for NFKC. NFKC makes capital letters of signs such as TM, and spaces of other characters. Certain letters
     * have a composed form only in lower case.
     */
    public static List<Normalization> steps(Collection<Normalization> given) {
        List<Normalization> steps = new ArrayList<>(List.of(TRIM, NFKC, LOWER_CASE, NFKC, TRIM));
        steps.retainAll(given);
        return steps;
    }

    String apply(String text) {
        return switch (this) {
            case TRIM -> trim(text);
            case LOWER_CASE -> text.toLowerCase(Locale.ROOT);
            case NFKC -> text.length() > MAX_LENGTH ? text : Normalizer.normalize(text, Normalizer.Form.NFKC);
        };
    }

    /** Trims by a loop, because a regular expression for the end takes quadratic time for much white space in the middle. */
    private static String trim(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        while (start < end && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    /** Returns whether this is white space, or a character that {@link String#trim} removes, since applications use that. */
    private static boolean isSpace(char c) {
        return c <= ' ' || Character.isWhitespace(c) || Character.isSpaceChar(c);
    }
}
