package io.quarkiverse.ratelimit.runtime.caller.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {

    @ParameterizedTest
    @CsvSource({
            "10.0.0.1     , 10.0.0.1, true",
            "10.0.0.1     , 10.0.0.2, false",
            "10.0.0.0/8   , 10.9.8.7, true",
            "10.0.0.0/8   , 11.0.0.1, false",
            "10.0.0.0/8   , ::10.0.0.1, false",
            "0.0.0.0/0    , 1.2.3.4, true",
            "0.0.0.0/0    , 2001:db8::1, false",
            "localhost    , 127.0.0.1, true",
            "[2001:db8::1], 2001:db8::1, true",
            "[::ffff:10.0.0.1], 10.0.0.1, true",
            "2001:db8::1  , 2001:db8::1, true",
            "2001:db8::/32, 2001:db8::1, true",
            "2001:db8::/32, 2001:db9::1, false"
    })
    void addressIsAProxys(String entry, String address, boolean trusted) {
        TrustedProxies proxies = TrustedProxies.of(List.of(entry));

        assertThat(proxies.contain(IpAddress.parse(address))).isEqualTo(trusted);
        assertThat(proxies.hasOthers()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "0.0.0.0/0", "::/0", "10.0.0.1,0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1", "128.0.0.0/1", "::/1,8000::/1",
            "2000::/3", "0.0.0.0/4,16.0.0.0/4", "proxy.internal,::/0", "203.0.113.7/0" })
    void listOfSoManyAddressesContainsCallers(String entries) {
        assertThat(TrustedProxies.of(List.of(entries.split(","))).containCallers()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "10.0.0.0/8", "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7", "::ffff:0:0/96",
            "localhost,[::1]:443", "proxy.internal", "104.16.0.0/13,104.16.0.0/13" })
    void listOfProxiesContainsNoCallers(String entries) {
        assertThat(TrustedProxies.of(List.of(entries.split(","))).containCallers()).isFalse();
    }

    @Test
    void ipv4AddressesAreInNoIpv6Block() {
        assertThat(TrustedProxies.of(List.of("::/0", "::ffff:0:0/96")).contain(IpAddress.parse("::ffff:1.2.3.4")))
                .isFalse();
    }

    @Test
    void hostNamesAndPortsAreLeftToQuarkus() {
        TrustedProxies proxies = TrustedProxies.of(List.of("proxy.internal", "proxy.internal:8080", " 10.0.0.1 "));

        assertThat(proxies.hasOthers()).isTrue();
        assertThat(List.of("10.0.0.1:8084", "[2001:db8::1]:443", "[::ffff:10.0.0.1]:80"))
                .allMatch(entry -> TrustedProxies.of(List.of(entry)).equals(new TrustedProxies(List.of(), true, false)));
        assertThat(proxies.areNone()).isFalse();
        assertThat(proxies.contain(IpAddress.parse("10.0.0.1"))).isTrue();
    }
}
