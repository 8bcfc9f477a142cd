package io.quarkiverse.ratelimit.runtime.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LayoutTest {

    private static final Pattern DECLARED = Pattern.compile("(?m)^local ([A-Z_]+) = '<.*' -- .+$");
    private static final Pattern UNPACKED = Pattern
            .compile("local ([\\w, ]+?) =\\s+struct\\.unpack\\((ARGUMENTS|REFUND), arguments\\)");

    @Test
    void valuesArePackedWithoutGapsLowestByteFirst() {
        Layout layout = Layout.of("BI4I7dc8", "kind", "cost", "since", "period", "id");

        assertThat(layout.pack(2, 0x01020304, 1L << 48, 1, 255)).isEqualTo(new byte[] { 2, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 1,
                0, 0, 0, 0, 0, 0, (byte) 0xf0, 0x3f, (byte) 255, 0, 0, 0, 0, 0, 0, 0 });
    }

    @ParameterizedTest
    @CsvSource({ "B,0,255", "I2,0,65535", "I4,0,4294967295", "I7,0,72057594037927935",
            "d,-9007199254740992,9007199254740992" })
    void valuesOutsideTheRangeOfTheirTypeAreRejected(String type, long least, long most) {
        Layout layout = Layout.of(type, "cost");

        assertThat(layout.pack(least)).isNotEqualTo(layout.pack(most));
        for (long outside : new long[] { least - 1, most + 1, Long.MIN_VALUE, Long.MAX_VALUE }) {
            assertThatThrownBy(() -> layout.pack(outside)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(outside + " is outside the range of").hasMessageContaining("cost");
        }
    }

    @Test
    void aLayoutThatIsNotDeclaredCannotBeRead() {
        assertThatThrownBy(() -> Layout.of(ScriptFile.RESET, "STATE")).hasMessageContaining("reset.lua does not contain");
    }

    @ParameterizedTest
    @EnumSource(ScriptFile.class)
    void everyDeclaredLayoutCanBeRead(ScriptFile file) {
        assertThat(DECLARED.matcher(file.text()).results().map(declared -> declared.group(1)))
                .allSatisfy(name -> assertThat(Layout.of(file, name).fields()).isNotEmpty());
        assertThat(file.text().lines().filter(line -> line.matches("local [A-Z_]+ = '<.*")))
                .allMatch(line -> DECLARED.matcher(line).matches());
    }

    @ParameterizedTest
    @EnumSource(ScriptFile.class)
    void scriptsUnpackTheirArgumentsByTheDeclaredNames(ScriptFile file) {
        for (MatchResult unpacked : UNPACKED.matcher(file.text()).results().toList()) {
            // calendar windows follow at the position after the arguments
            Stream<String> names = Stream.of(unpacked.group(1).split(", ")).filter(name -> !name.equals("position"));

            assertThat(names).containsExactlyElementsOf(
                    Layout.of(file, unpacked.group(2)).fields().stream().map(Layout.Field::name).toList());
        }
    }

    @Test
    void aReplyWithItsTimeIsTheTimeAndTheReply() {
        assertThat(Layout.of(ScriptFile.DECIDE, "TIMED_REPLY").fields().subList(1, 6))
                .isEqualTo(Layout.of(ScriptFile.ALGORITHMS, "REPLY").fields());
    }

    @ParameterizedTest
    @EnumSource(ScriptFile.class)
    void scriptsAreShort(ScriptFile file) {
        assertThat(file.text().lines()).hasSizeLessThanOrEqualTo(80);
    }
}
