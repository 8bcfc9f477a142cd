package io.quarkiverse.ratelimit.runtime.caller;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.Normalizer;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.fixtures.TestCaller;

/** Spellings of one text are one caller, in every part of a key and in every way that a key is given. */
class NormalizationTest {

    private static final List<Normalization> ALL = Normalization.steps(EnumSet.allOf(Normalization.class));
    /** The first two planes of Unicode, which contain all letters with a case. */
    private static final int LETTERS = 0x20000;
    private static final String[] SPELLINGS = { "j\u00fcrgen@x.org", "J\u00dcRGEN@x.org", " j\u00fcrgen@x.org\t",
            "ju\u0308rgen@x.org", "\u00a0JU\u0308RGEN@X.ORG\u3000", "\uff2a\u00fcrgen@x.org" };

    @ParameterizedTest
    @ValueSource(strings = { "principal", "header:x", "cookie:x", "path:x", "query:x", "claim:x", "bean:x" })
    void spellingsAreOneCallerInEveryPart(String part) {
        KeyTemplate key = KeyParser.parse(part, TestCaller.WARNING);
        Set<String> forms = new HashSet<>();
        for (String spelling : SPELLINGS) {
            CallDetails call = new CallDetails(new TestCaller(Map.of(part, spelling)), null, List.of(),
                    Map.of("x", spelling));
            forms.add(key.resolve(call, "test", MissingKey.SKIP, ALL));
            forms.add(passed(key, 0, spelling));
        }
        assertThat(forms).hasSize(1).doesNotContainNull();
    }

    @Test
    void spellingsAreOneCallerInArgumentsAndInCode() {
        Set<String> forms = new HashSet<>();
        for (String spelling : SPELLINGS) {
            for (Object argument : new Object[] { spelling, Optional.of(spelling) }) {
                forms.add(KeyTemplate.GLOBAL.resolve(
                        new CallDetails(Caller.UNKNOWN, null, TestCaller.arguments(argument), Map.of()), "test",
                        MissingKey.SKIP, ALL));
            }
            forms.add(passed(null, 1, spelling));
            forms.add(passed(KeyTemplate.GLOBAL, 1, spelling));
        }
        assertThat(forms).hasSize(1).doesNotContainNull();
        assertThat(passed(null, 0, SPELLINGS[4])).isEqualTo(passed(null, 0, SPELLINGS[0]));
    }

    @Test
    void addressIsReadAfterItIsNormalized() {
        KeyTemplate key = KeyParser.parse("ip", TestCaller.WARNING);

        assertThat(passed(key, 0, " 2001:DB8::7 ")).isEqualTo("ip=2001:db8::/64");
        assertThat(reader(key, 0).readPossible(" 203.0.113.7").stored()).isEqualTo("ip=203.0.113.7");
    }

    @Test
    void valuesOfThePassedKeyAreNormalized() {
        assertThat(reader(null, 0).read(" Bob ").values()).containsExactly("bob");
    }

    @ParameterizedTest
    @ValueSource(strings = { "", " ", "\t\u00a0\u2007\u3000" })
    void whatIsEmptyWhenItIsNormalizedIsMissing(String blank) {
        assertThat(KeyParser.parse("header:x", TestCaller.WARNING)
                .resolve(TestCaller.call(TestCaller.sending("x", blank), null), "test", MissingKey.SKIP, ALL)).isNull();
    }

    @Test
    void eachNormalizationChangesOnlyWhatItIsFor() {
        assertThat(normalized(" \u00c5 ", Normalization.TRIM)).isEqualTo("\u00c5");
        assertThat(normalized(" A\u030a ", Normalization.LOWER_CASE)).isEqualTo(" a\u030a ");
        assertThat(normalized(" A\u030a ", Normalization.NFKC)).isEqualTo(" \u00c5 ");
        assertThat(normalized(" A\u030a ")).isEqualTo(" A\u030a ");
    }

    /** As {@link String#trim} does, so that what an application trims for itself is no other caller. */
    @Test
    void controlCharactersAtTheEndsAreTrimmed() {
        for (char c = 0; c <= ' '; c++) {
            assertThat(normalized(c + "a" + c + "b" + c, Normalization.TRIM)).isEqualTo("a" + c + "b");
        }
    }

    @Test
    void manyAccentsTakeNoLongerThanOtherText() {
        String accents = "a" + "\u0301\u0323".repeat(200_000);

        assertThat(normalized(accents, Normalization.NFKC)).isEqualTo(accents);
    }

    @Test
    void whiteSpaceDoesNotMakeATextTooLongForNfkc() {
        String decomposed = " ".repeat(2_000) + "e\u0301";

        assertThat(normalized(decomposed, Normalization.NFKC, Normalization.TRIM)).isEqualTo("\u00e9");
    }

    /** In lower case, some letters have a composed form that they lack in upper case; signs contain capital letters. */
    @Test
    void normalizedTextStaysAsItIs() {
        for (Set<Normalization> some : List.of(EnumSet.allOf(Normalization.class), EnumSet.of(Normalization.NFKC),
                EnumSet.of(Normalization.LOWER_CASE), EnumSet.of(Normalization.TRIM))) {
            Normalization[] given = some.toArray(Normalization[]::new);
            for (int code = 0; code < LETTERS; code++) {
                for (String suffix : new String[] { "", "\u030c" }) {
                    String once = normalized(Character.toString(code) + suffix, given);
                    if (!normalized(once, given).equals(once)) {
                        assertThat(normalized(once, given)).describedAs("%x", code).isEqualTo(once);
                    }
                }
            }
        }
        assertThat(normalized("J\u030c", Normalization.NFKC, Normalization.LOWER_CASE)).isEqualTo("\u01f0");
        assertThat(normalized("\u2122", Normalization.LOWER_CASE, Normalization.NFKC)).isEqualTo("tm");
    }

    @Test
    void composedAndDecomposedTextAreEqualInEitherCase() {
        for (int code = 0; code < LETTERS; code++) {
            String text = Character.toString(code);
            String decomposed = Normalizer.normalize(text, Normalizer.Form.NFD);
            if (!decomposed.equals(text) && !KeyPart.normalized(decomposed, ALL).equals(KeyPart.normalized(text, ALL))) {
                assertThat(KeyPart.normalized(decomposed, ALL)).describedAs("%x", code)
                        .isEqualTo(KeyPart.normalized(text, ALL));
            }
        }
    }

    private static String normalized(String text, Normalization... given) {
        return KeyPart.normalized(text, Normalization.steps(List.of(given)));
    }

    private static String passed(KeyTemplate key, int arguments, String value) {
        return reader(key, arguments).read(value).stored();
    }

    private static PassedKey.Reader reader(KeyTemplate key, int arguments) {
        return new PassedKey.Reader("test", key, ALL, arguments, new AddressForm(64));
    }
}
