package io.quarkiverse.ratelimit.runtime.caller.address;

import static io.quarkiverse.ratelimit.runtime.caller.address.ForwardingHeader.FORWARDED;
import static io.quarkiverse.ratelimit.runtime.caller.address.ForwardingHeader.X_FORWARDED_FOR;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.vertx.core.MultiMap;

class ForwardingTest {

    private static final AddressForm EXACT = new AddressForm(128);
    private static final byte[] PROXY = IpAddress.parse("10.0.0.1");
    private static final TrustedProxies PROXIES = TrustedProxies.of(List.of("10.0.0.0/8", "[2001:db8::1]"));
    private static final TrustedProxies NO_PROXIES = TrustedProxies.of(List.of());
    private static final Forwarding X_ONLY = new Forwarding(PROXIES, null, 0, List.of(X_FORWARDED_FOR), true);
    private static final Forwarding STANDARD_ONLY = new Forwarding(PROXIES, null, 0, List.of(FORWARDED), true);

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
            "#for=\", for=1.2.3.4#                                     ; 1.2.3.4",
            "#for=1.2.3.4;host=\"a\\\",for=9.9.9.9;x=\\\"\"#              ; 1.2.3.4",
            "#for=1.2.3.4;host=\"a\\\";for=9.9.9.9\"#                   ; 1.2.3.4",
            "#for=9.9.9.9;host=\"a\\\\\", for=1.2.3.4#                  ; 1.2.3.4"
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
        Forwarding strict = new Forwarding(PROXIES, null, 0, List.of(FORWARDED, X_FORWARDED_FOR), true);
        MultiMap contradicting = headers("Forwarded", "for=1.2.3.4").add("X-Forwarded-For", "5.6.7.8");

        assertThat(caller(strict, contradicting)).isNull();
        assertThat(caller(strict, headers("Forwarded", "for=1.2.3.4").add("X-Forwarded-For", "1.2.3.4:80")))
                .isEqualTo("1.2.3.4");
        assertThat(caller(strict, headers("X-Forwarded-For", "5.6.7.8"))).isEqualTo("5.6.7.8");
    }

    @Test
    void preferredHeaderCountsWhereContradictionsAreAllowed() {
        MultiMap contradicting = headers("Forwarded", "for=1.2.3.4").add("X-Forwarded-For", "5.6.7.8");

        assertThat(caller(new Forwarding(PROXIES, null, 0, List.of(FORWARDED, X_FORWARDED_FOR), false), contradicting))
                .isEqualTo("1.2.3.4");
        assertThat(caller(new Forwarding(PROXIES, null, 0, List.of(X_FORWARDED_FOR, FORWARDED), false), contradicting))
                .isEqualTo("5.6.7.8");
    }

    @Test
    void hugeHeaderIsReadFromTheRightOnly() {
        String huge = "junk, ".repeat(20_000) + "1.2.3.4";

        assertThat(caller(X_ONLY, headers("X-Forwarded-For", huge))).isEqualTo("1.2.3.4");
        assertThat(caller(X_ONLY, headers("X-Forwarded-For", "1".repeat(100_000)))).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', nullValues = "unknown", value = {
            "1; 9.9.9.9, 1.2.3.4                   ; 1.2.3.4",
            "1; 10.0.0.2                           ; 10.0.0.2",
            "2; 9.9.9.9, 1.2.3.4, 10.0.0.2         ; 1.2.3.4",
            "2; 9.9.9.9, 1.2.3.4, 5.6.7.8          ; 1.2.3.4",
            "2; 9.9.9.9, 1.2.3.4:80, [::1]:443     ; 1.2.3.4",
            "2; 9.9.9.9, 1.2.3.4, unknown          ; 1.2.3.4",
            "2; ', \", 1.2.3.4, 10.0.0.2'         ; 1.2.3.4",
            "2; 9.9.9.9, _hidden, 10.0.0.2         ; unknown",
            "2; 10.0.0.2                           ; unknown",
            "2; ', , 10.0.0.2'                     ; unknown",
            "3; 1.2.3.4, 10.0.0.2                  ; unknown"
    })
    void addressBehindTheNumberOfProxiesIsTheCaller(int hops, String header, String caller) {
        Forwarding usual = new Forwarding(NO_PROXIES, null, hops, List.of(X_FORWARDED_FOR), true);
        Forwarding standard = new Forwarding(NO_PROXIES, null, hops, List.of(FORWARDED), true);
        String forwarded = header.replaceAll("([^ ,]+)", "for=\"$1\"").replace("\"\"\"", "\"");

        assertThat(caller(usual, headers("X-Forwarded-For", header).add("Forwarded", "for=7.7.7.7, for=8.8.8.8, for=6.6.6.6")))
                .isEqualTo(caller);
        assertThat(caller(standard, headers("Forwarded", forwarded).add("X-Forwarded-For", "7.7.7.7, 8.8.8.8, 6.6.6.6")))
                .isEqualTo(caller);
    }

    @Test
    void requestWithoutHeaderHasNoAddressBehindProxies() {
        Forwarding behindOne = new Forwarding(NO_PROXIES, null, 1, List.of(FORWARDED, X_FORWARDED_FOR), true);

        assertThat(caller(behindOne, headers("X-Other", "1.2.3.4"))).isNull();
    }

    @Test
    void linesCountAsOneListForTheNumberOfProxies() {
        Forwarding behindTwo = new Forwarding(NO_PROXIES, null, 2, List.of(X_FORWARDED_FOR), true);

        assertThat(caller(behindTwo, headers("X-Forwarded-For", "9.9.9.9, 1.2.3.4").add("x-forwarded-for", "10.0.0.2")))
                .isEqualTo("1.2.3.4");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', nullValues = "unknown", value = {
            "9.9.9.9, 1.2.3.4                  ; 1.2.3.4",
            "9.9.9.9, 2001:db8::2, 10.0.0.2    ; 10.0.0.2",
            "9.9.9.9, 2001:db8::2              ; 2001:db8::2",
            "9.9.9.9, unknown                  ; unknown",
            ", ,                               ; 10.0.0.1"
    })
    void rightMostAddressIsTheCallerIfCallersAreTrusted(String header, String caller) {
        for (String all : List.of("0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1", "10.0.0.0/8,::/0")) {
            TrustedProxies everybody = TrustedProxies.of(List.of(all.split(",")));

            assertThat(caller(new Forwarding(everybody, null, 0, List.of(X_FORWARDED_FOR), true),
                    headers("X-Forwarded-For", header)))
                    .as(all).isEqualTo(caller);
        }
    }

    /** Proxies append the caller's address, and may quote what the caller has sent, such as its {@code Host}. */
    @Test
    void nothingThatACallerSendsChangesItsAddress() {
        Random random = new Random(11);
        Forwarding everybody = new Forwarding(TrustedProxies.of(List.of("0.0.0.0/0", "::/0")), null, 0,
                List.of(X_FORWARDED_FOR),
                true);
        Forwarding oneHop = new Forwarding(NO_PROXIES, null, 1, List.of(FORWARDED), true);
        Forwarding twoHops = new Forwarding(NO_PROXIES, null, 2, List.of(X_FORWARDED_FOR), true);
        for (int i = 0; i < 20_000; i++) {
            String sent = sent(random);
            String host = sent(random).replace("\\", "\\\\").replace("\"", "\\\"");
            boolean ownLine = random.nextBoolean();

            assertThat(caller(X_ONLY, appended("X-Forwarded-For", sent, ownLine, "1.2.3.4, 10.0.0.2"))).as(sent)
                    .isEqualTo("1.2.3.4");
            assertThat(caller(twoHops, appended("X-Forwarded-For", sent, ownLine, "1.2.3.4, 5.6.7.8"))).as(sent)
                    .isEqualTo("1.2.3.4");
            assertThat(caller(everybody, appended("X-Forwarded-For", sent, ownLine, "1.2.3.4"))).as(sent).isEqualTo("1.2.3.4");
            for (Forwarding standard : List.of(STANDARD_ONLY, oneHop)) {
                String last = "for=1.2.3.4;host=\"" + host + "\";proto=https";
                assertThat(caller(standard, appended("Forwarded", sent, ownLine, last))).as(sent + last).isEqualTo("1.2.3.4");
            }
        }
    }

    private static String sent(Random random) {
        String[] pieces = { "\"", "\\", ",", ";", " ", "for=", "9.9.9.9", "10.0.0.3", "[2001:db8::1]", "unknown", "host=" };
        return IntStream.range(0, random.nextInt(8)).mapToObj(i -> pieces[random.nextInt(pieces.length)]).collect(joining());
    }

    private static MultiMap appended(String header, String sent, boolean ownLine, String text) {
        return ownLine ? headers(header, sent).add(header, text) : headers(header, sent + ", " + text);
    }

    private static MultiMap headers(String name, String value) {
        return MultiMap.caseInsensitiveMultiMap().add(name, value);
    }

    private static String caller(Forwarding forwarding, MultiMap headers) {
        byte[] caller = forwarding.callerBehind(PROXY, headers);
        return caller == null ? null : EXACT.format(caller);
    }
}
