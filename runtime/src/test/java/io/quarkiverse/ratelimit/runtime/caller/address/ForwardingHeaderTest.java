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
    @CsvSource({ "1.2.3.4, 1.2.3.4", "1.2.3.4:0, 1.2.3.4", "1.2.3.4:65535, 1.2.3.4", "2001:DB8::1, 2001:db8::1",
            "[2001:db8::1], 2001:db8::1", "[2001:db8::1]:443, 2001:db8::1", "::ffff:1.2.3.4, 1.2.3.4",
            "[::ffff:1.2.3.4]:80, 1.2.3.4", "::1, ::1", "10.0.0.0, 10.0.0.0", "2001:0db8::01, 2001:db8::1" })
    void singleAddressIsRead(String text, String address) {
        assertThat(EXACT.format(ForwardingHeader.single(text))).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(strings = { "1.2.3.4:65536", "1.2.3.4:99999", "1.2.3.4:_hidden", "\"1.2.3.4\"", "[1.2.3.4]", "[1.2.3.4]:80",
            "1.2.3.4 5.6.7.8", "1.2.3.4;", "[2001:db8::1]:65536", "[2001:db8::1]:_x", "2001:db8::1]:80", "[]", "[:]", "null",
            "1.2.3.4,", "2001:db8::1:80000", "for=1.2.3.4", "fe80::1%eth0", "fe80::1%25eth0", "[fe80::1%25eth0]:80",
            "[fe80::1%]" })
    void whatIsMoreThanAnAddressIsNoSingleAddress(String text) {
        assertThat(ForwardingHeader.single(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = { "unknown", "_hidden", "", "\"", "\"\"", "[", "]", "[]", "[]:80", ":80", "1.2.3.4:", "1.2.3.4:x",
            "1.2.3.4:123456", "1.2.3.4:-1", "1.2.3.4:80:80", "1.2.3", "[2001:db8::1]443", "[2001:db8::1]:", "[2001:db8::1",
            "2001:db8::1]", "[[2001:db8::1]]", "localhost", "localhost:80", "1.2.3.4, 5.6.7.8", "1.2.3.4/32", "\"1.2.3.4",
            "for=1.2.3.4", "1:2:3:4:5:6:7::1.2.3.4", "::ffff:1.2.3.4.5", "\u0661.2.3.4", "203.0.113.07",
            "01.2.3.4", "1.2.3.00", "1.2.3.010:80", "::ffff:1.2.3.04", "[::ffff:1.02.3.4]:80" })
    void whatIsNoAddressIsUnknown(String text) {
        assertThat(ForwardingHeader.ofNode(text)).isNull();
        assertThat(ForwardingHeader.single(text)).isNull();
    }
}
