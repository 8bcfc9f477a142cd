package io.quarkiverse.ratelimit.runtime.caller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrustedProxiesTest {

    @ParameterizedTest
    @CsvSource({
            "10.0.0.1,              10.0.0.1,    80,   true",
            "10.0.0.1,              10.0.0.2,    80,   false",
            "10.0.0.1:8084,         10.0.0.1,    8084, true",
            "10.0.0.1:8084,         10.0.0.1,    80,   false",
            "10.0.0.1:8084,         10.0.0.1,    0,    false",
            "10.0.0.0/8,            10.9.8.7,    80,   true",
            "10.0.0.0/8,            11.0.0.1,    80,   false",
            "10.0.0.0/8,            ::10.0.0.1,  80,   false",
            "0.0.0.0/0,             1.2.3.4,     80,   true",
            "0.0.0.0/0,             2001:db8::1, 80,   false",
            "localhost,             127.0.0.1,   80,   true",
            "[2001:db8::1],         2001:db8::1, 80,   true",
            "[2001:db8::1]:443,     2001:db8::1, 443,  true",
            "[2001:db8::1]:443,     2001:db8::1, 80,   false",
            "2001:db8::1,           2001:db8::1, 80,   true",
            "2001:db8::/32,         2001:db8::1, 80,   true",
            "2001:db8::/32,         2001:db9::1, 80,   false",
            "[::ffff:10.0.0.1]:80,  10.0.0.1,    80,   true"
    })
    void addressIsAProxys(String entry, String address, int port, boolean trusted) {
        TrustedProxies proxies = TrustedProxies.of(List.of(entry));

        assertThat(proxies.contains(IpLiteral.parse(address), port)).isEqualTo(trusted);
        assertThat(proxies.hasHostNames()).isFalse();
    }

    @Test
    void hostNamesAreLeftToQuarkus() {
        TrustedProxies proxies = TrustedProxies.of(List.of("proxy.internal", "proxy.internal:8080", " 10.0.0.1 "));

        assertThat(proxies.hasHostNames()).isTrue();
        assertThat(proxies.isEmpty()).isFalse();
        assertThat(proxies.contains(IpLiteral.parse("10.0.0.1"), 80)).isTrue();
    }
}
