package io.quarkiverse.ratelimit.runtime.caller;

import static io.quarkiverse.ratelimit.runtime.caller.ForwardingHeader.FORWARDED;
import static io.quarkiverse.ratelimit.runtime.caller.ForwardingHeader.X_FORWARDED_FOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.vertx.core.MultiMap;

class ForwardingTest {

    private static final AddressForm EXACT = new AddressForm(128);
    private static final Hop PROXY = Hop.parse("10.0.0.1");
    private static final TrustedProxies PROXIES = TrustedProxies.of(List.of("10.0.0.0/8", "[2001:db8::1]"));
    private static final Forwarding X_ONLY = new Forwarding(PROXIES, false, true, true, FORWARDED);
    private static final Forwarding STANDARD_ONLY = new Forwarding(PROXIES, true, false, true, FORWARDED);

    @ParameterizedTest
    @CsvSource(delimiter = ';', nullValues = "unknown", value = {
            "1.2.3.4                          ; 1.2.3.4",
            "9.9.9.9, 1.2.3.4                 ; 1.2.3.4",
            "9.9.9.9,1.2.3.4,10.0.0.2         ; 1.2.3.4",
            "9.9.9.9, 1.2.3.4, 2001:db8:0::1  ; 1.2.3.4",
            "1.2.3.4:5678, [2001:db8::1]:443  ; 1.2.3.4",
            "9.9.9.9, 2001:DB8:0:0::2         ; 2001:db8::2",
            "9.9.9.9, ::ffff:1.2.3.4          ; 1.2.3.4",
            "1.2.3.4, ::ffff:10.0.0.7         ; 1.2.3.4",
            ", 1.2.3.4, , ,                   ; 1.2.3.4",
            "10.0.0.3, 10.0.0.2               ; 10.0.0.3",
            ", ,                              ; 10.0.0.1",
            "1.2.3.4, _hidden                 ; unknown",
            "1.2.3.4, 'unknown'               ; unknown",
            "1.2.3.4, junk, 10.0.0.2          ; unknown",
            "junk, 1.2.3.4                    ; 1.2.3.4",
            "\", 1.2.3.4                      ; 1.2.3.4",
            "\", 1.2.3.4\", 10.0.0.2          ; unknown"
    })
    void rightMostAddressThatIsNoProxyIsTheCaller(String header, String caller) {
        assertThat(caller(X_ONLY, headers("X-Forwarded-For", header.replace("'", "")))).isEqualTo(caller);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '#', nullValues = "unknown", value = {
            "for=1.2.3.4                                               ; 1.2.3.4",
            "#for=9.9.9.9, For=\"1.2.3.4:80\";proto=https;by=10.0.0.1# ; 1.2.3.4",
            "#proto=https; FOR=\"[2001:db8::2]:443\" ;by=_x#           ; 2001:db8::2",
            "#for=1.2.3.4, for=10.0.0.2;by=\"a,b;for=9.9.9.9\"#        ; 1.2.3.4",
            "#for=1.2.3.4, by=10.0.0.2#                                ; unknown",
            "#for=1.2.3.4, for=_hidden#                                ; unknown",
            "#for=1.2.3.4;for=9.9.9.9#                                 ; unknown",
            "#for=\", for=1.2.3.4#                                     ; 1.2.3.4"
    })
    void standardHeaderCountsWhereItIsAllowed(String header, String caller) {
        assertThat(caller(STANDARD_ONLY, headers("Forwarded", header))).isEqualTo(caller);
    }

    @Test
    void linesCountAsOneListInOrder() {
        MultiMap headers = headers("X-Forwarded-For", "9.9.9.9").add("x-forwarded-for", "8.8.8.8, 1.2.3.4")
                .add("X-FORWARDED-FOR", "10.0.0.2");

        assertThat(caller(X_ONLY, headers)).isEqualTo("1.2.3.4");
    }

    @Test
    void proxyWithoutHeaderIsTheCaller() {
        assertThat(caller(X_ONLY, headers("X-Other", "1.2.3.4"))).isEqualTo("10.0.0.1");
        assertThat(caller(X_ONLY, headers("Forwarded", "for=1.2.3.4"))).isEqualTo("10.0.0.1");
        assertThat(caller(STANDARD_ONLY, headers("X-Forwarded-For", "1.2.3.4"))).isEqualTo("10.0.0.1");
    }

    @Test
    void callerWithContradictoryHeadersIsUnknown() {
        Forwarding strict = new Forwarding(PROXIES, true, true, true, FORWARDED);
        MultiMap contradicting = headers("Forwarded", "for=1.2.3.4").add("X-Forwarded-For", "5.6.7.8");

        assertThat(caller(strict, contradicting)).isNull();
        assertThat(caller(strict, headers("Forwarded", "for=1.2.3.4").add("X-Forwarded-For", "1.2.3.4:80")))
                .isEqualTo("1.2.3.4");
        assertThat(caller(strict, headers("X-Forwarded-For", "5.6.7.8"))).isEqualTo("5.6.7.8");
    }

    @Test
    void preferredHeaderCountsWhereContradictionsAreAllowed() {
        MultiMap contradicting = headers("Forwarded", "for=1.2.3.4").add("X-Forwarded-For", "5.6.7.8");

        assertThat(caller(new Forwarding(PROXIES, true, true, false, FORWARDED), contradicting)).isEqualTo("1.2.3.4");
        assertThat(caller(new Forwarding(PROXIES, true, true, false, X_FORWARDED_FOR), contradicting)).isEqualTo("5.6.7.8");
    }

    @Test
    void hugeHeaderIsReadFromTheRightOnly() {
        String huge = "junk, ".repeat(20_000) + "1.2.3.4";

        assertThat(caller(X_ONLY, headers("X-Forwarded-For", huge))).isEqualTo("1.2.3.4");
        assertThat(caller(X_ONLY, headers("X-Forwarded-For", "1".repeat(100_000)))).isNull();
    }

    private static MultiMap headers(String name, String value) {
        return MultiMap.caseInsensitiveMultiMap().add(name, value);
    }

    private static String caller(Forwarding forwarding, MultiMap headers) {
        byte[] caller = forwarding.callerBehind(PROXY, headers);
        return caller == null ? null : EXACT.of(caller);
    }
}
