package io.quarkiverse.ratelimit.runtime.caller;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyTemplateMistakesTest {

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            "'';               \"\" has an empty part. Known parts: ip, principal, method, header:NAME;",
            "'ip,';            \"ip,\" has an empty part.",
            "'ip,,method';     Name one or remove the comma.",
            "'user';           \"user\" is no part of a key. Known parts: ip, principal, method, header:NAME;",
            "'IP';             \"IP\" is no part of a key.",
            "'ip;method';      \"ip;method\" is no part of a key.",
            "'cookies:a';      \"cookies:a\" is no part of a key.",
            "'header';         \"header\" lacks a name. Write header:NAME.",
            "'header:';        \"header:\" lacks a name. Write header:NAME.",
            "'header: A';      \"header: A\" names no header",
            "'header:A B';     \"header:A B\" names no header",
            "'header:Zoë';     \"header:Zoë\" names no header",
            "'header:{a}';     \"header:{a}\" names no header",
            "'ip:1.2.3.4';     \"ip:1.2.3.4\" gives the part ip a name, but it takes none. Write ip.",
            "'ip,method,ip';   \"ip,method,ip\" names the part ip twice. Leave one out.",
            "'header:A,header:a'; names the part header:a twice. Leave one out.",
            "'global,ip';       \"global,ip\" combines global with other parts.",
            "'ip, global';      \"ip, global\" combines global with other parts."
    })
    void mistakeNamesThePartAndTheRemedy(String key, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> KeyParser.parse(key))
                .withMessageContaining(message);
    }
}
