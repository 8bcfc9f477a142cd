package io.quarkiverse.ratelimit.runtime.caller.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardingHeaderTest {

    private static final AddressForm EXACT = new AddressForm(128);

    @ParameterizedTest
    @CsvSource(quoteCharacter = '\'', value = {
            "1.2.3.4,                      1.2.3.4",
            "1.2.3.4:5678,                 1.2.3.4",
            "1.2.3.4:_hidden,              1.2.3.4",
            "\"1.2.3.4:5678\",             1.2.3.4",
            "2001:DB8::1,                  2001:db8::1",
            "[2001:db8::1],                2001:db8::1",
            "[2001:db8::1]:443,            2001:db8::1",
            "\"[2001:db8::1]\",            2001:db8::1",
            "\"[2001:db8::1]:443\",        2001:db8::1",
            "::ffff:1.2.3.4,               1.2.3.4",
            "[::ffff:1.2.3.4]:80,          1.2.3.4",
            "[fe80::1%eth0]:80,            fe80::1",
            "fe80::1%25eth0,               fe80::1",
            "::,                           ::"
    })
    void nodeIsRead(String text, String address) {
        assertThat(EXACT.format(ForwardingHeader.ofNode(text))).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(strings = { "unknown", "_hidden", "", "\"", "\"\"", "[", "]", "[]", "[]:80", ":80", "1.2.3.4:", "1.2.3.4:x",
            "1.2.3.4:123456", "1.2.3.4:-1", "1.2.3.4:80:80", "1.2.3", "[2001:db8::1]443", "[2001:db8::1]:", "[2001:db8::1",
            "2001:db8::1]", "[[2001:db8::1]]", "localhost", "localhost:80", "1.2.3.4, 5.6.7.8", "1.2.3.4/32", "\"1.2.3.4",
            "for=1.2.3.4", "1:2:3:4:5:6:7::1.2.3.4", "::ffff:1.2.3.4.5", "\u0661.2.3.4" })
    void whatIsNoAddressIsUnknown(String text) {
        assertThat(ForwardingHeader.ofNode(text)).isNull();
    }
}
