package io.quarkiverse.ratelimit.runtime.caller.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HopTest {

    private static final AddressForm EXACT = new AddressForm(128);

    @ParameterizedTest
    @CsvSource(quoteCharacter = '\'', value = {
            "1.2.3.4,                      1.2.3.4,     0",
            "1.2.3.4:5678,                 1.2.3.4,     5678",
            "1.2.3.4:_hidden,              1.2.3.4,     0",
            "\"1.2.3.4:5678\",             1.2.3.4,     5678",
            "2001:DB8::1,                  2001:db8::1, 0",
            "[2001:db8::1],                2001:db8::1, 0",
            "[2001:db8::1]:443,            2001:db8::1, 443",
            "\"[2001:db8::1]\",            2001:db8::1, 0",
            "\"[2001:db8::1]:443\",        2001:db8::1, 443",
            "::ffff:1.2.3.4,               1.2.3.4,     0",
            "[::ffff:1.2.3.4]:80,          1.2.3.4,     80",
            "[fe80::1%eth0]:80,            fe80::1,     80",
            "fe80::1%25eth0,               fe80::1,     0",
            "::,                           ::,          0"
    })
    void nodeIsRead(String text, String address, int port) {
        Hop hop = Hop.parse(text);

        assertThat(EXACT.format(hop.address())).isEqualTo(address);
        assertThat(hop.port()).isEqualTo(port);
    }

    @ParameterizedTest
    @ValueSource(strings = { "unknown", "_hidden", "", "\"", "\"\"", "[", "]", "[]", "[]:80", ":80", "1.2.3.4:", "1.2.3.4:x",
            "1.2.3.4:123456", "1.2.3.4:-1", "1.2.3.4:80:80", "1.2.3", "[2001:db8::1]443", "[2001:db8::1]:", "[2001:db8::1",
            "2001:db8::1]", "[[2001:db8::1]]", "localhost", "localhost:80", "1.2.3.4, 5.6.7.8", "1.2.3.4/32", "\"1.2.3.4",
            "for=1.2.3.4", "1:2:3:4:5:6:7::1.2.3.4", "::ffff:1.2.3.4.5", "\u0661.2.3.4" })
    void whatIsNoAddressIsUnknown(String text) {
        assertThat(Hop.parse(text)).isNull();
    }
}
