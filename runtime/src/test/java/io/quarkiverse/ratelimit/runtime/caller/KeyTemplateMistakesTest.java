package io.quarkiverse.ratelimit.runtime.caller;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.runtime.caller.fixtures.TestCaller;

class KeyTemplateMistakesTest {

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            "'';               \"\" is no part of a key. Known parts: ip, principal, method, header:NAME,",
            "'ip,';            \"\" is no part of a key.",
            "'ip,,method';     or global alone for one count for everybody. Correct it.",
            "'user';           \"user\" is no part of a key.",
            "'IP';             \"IP\" is no part of a key.",
            "'ip;method';      \"ip;method\" is no part of a key.",
            "'cookies:a';      \"cookies:a\" is no part of a key.",
            "'header';         \"header\" is no part of a key.",
            "'header:';        \"header:\" is no part of a key.",
            "'header: A';      \"header: A\" is no part of a key.",
            "'header:A B';     \"header:A B\" is no part of a key.",
            "'header:Zoë';     \"header:Zoë\" is no part of a key.",
            "'header:{a}';     \"header:{a}\" is no part of a key.",
            "'ip:1.2.3.4';     \"ip:1.2.3.4\" is no part of a key.",
            "'global,ip';      \"global\" is no part of a key.",
            "'ip, global';     \"global\" is no part of a key."
    })
    void mistakeNamesThePartAndTheRemedy(String key, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> KeyParser.parse(key, TestCaller.WARNING))
                .withMessageContaining(message);
    }
}
