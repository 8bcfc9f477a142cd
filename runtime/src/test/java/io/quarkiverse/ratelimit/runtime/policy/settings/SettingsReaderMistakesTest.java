package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class SettingsReaderMistakesTest {

    private static final String PREFIX = "quarkus.rate-limit.";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            enabled=yes              | must be true or false.
            admin.enabled=ture       | must be true or false.
            devservices.enabled=no   | must be true or false.
            health.enabled=no        | must be true or false.
            metrics.enabled=off      | must be true or false.
            tracing.enabled=1        | must be true or false.
            timeout=0                | must be from 1ms to 60s.
            timeout=61s              | must be from 1ms to 60s.
            timeout=250              | must be from 1ms to 60s. A number alone means seconds.
            timeout=PT0.0010001S     | must be a whole number of microseconds.
            replicas=0               | must be a whole number from 1 to 1000000.
            replicas=1000001         | must be a whole number from 1 to 1000000.
            max-delayed=-1              | must be a whole number from 0 to 1000000.
            max-delayed=1000001         | must be a whole number from 0 to 1000000.
            headers=ratelimit,none   | must be any of ratelimit, x-ratelimit, comma-separated, or none alone.
            ipv6-prefix=0            | must be a whole number from 1 to 128.
            proxy-hops=-1            | must be a whole number from 0 to 100.
            proxy-hops=101           | must be a whole number from 0 to 100.
            """)
    void valueIsReportedWithWhatIsExpected(String line, String mistake) {
        assertThat(Configured.with(PREFIX + line).mistakes()).containsExactly(PREFIX + line + " " + mistake);
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            X-Real-IP        | -                        | needs quarkus.http.proxy.trusted-proxies, or every caller
            X-Real-IP        | trusted-proxies=0.0.0.0/0             | would let callers choose their address
            X-Real-IP        | trusted-proxies=10.0.0.1,::/0         | would let callers choose their address
            X-Real-IP        | trusted-proxies=0.0.0.0/1,128.0.0.0/1 | would let callers choose their address
            X-Real-IP        | trusted-proxies=proxy.internal        | needs addresses or blocks of addresses
            X-Real-IP        | trusted-proxies=10.0.0.1,10.0.0.2:80  | needs addresses or blocks of addresses
            X-Forwarded-For  | trusted-proxies=10.0.0.1              | is a list, to which every proxy appends
            x-forwarded-FOR  | trusted-proxies=10.0.0.1              | is a list, to which every proxy appends
            Forwarded        | trusted-proxies=10.0.0.1              | is a list, to which every proxy appends
            X Real IP        | trusted-proxies=10.0.0.1              | is no name of a header
            X-Real-IP:       | trusted-proxies=10.0.0.1              | is no name of a header
            X-Real-IP,Other  | trusted-proxies=10.0.0.1              | is no name of a header
            """)
    void headerThatIsNoProofOfAnAddressIsReported(String header, String proxies, String mistake) {
        assertThat(Configured.with(PREFIX + "address-header=" + header, "quarkus.http.proxy." + proxies).mistakes())
                .singleElement().asString().startsWith(PREFIX + "address-header=" + header + " " + mistake);
    }

    @Test
    void allMistakesOfTheHeaderAreReported() {
        assertThat(Configured.with(PREFIX + "address-header=Forwarded", PREFIX + "proxy-hops=1").mistakes())
                .satisfiesExactly(
                        hops -> assertThat(hops).contains("has no meaning beside proxy-hops. Remove one of them."),
                        list -> assertThat(list).contains("is a list"),
                        proxies -> assertThat(proxies).contains("needs quarkus.http.proxy.trusted-proxies"));
    }

    @Test
    void noRolesAreNoMistakeUnlessTheyAreRequired() {
        String none = PREFIX + "admin.roles-allowed=";

        assertThat(Configured.with(PREFIX + "admin.roles-allowed=operator", "%dev." + none).mistakes()).isEmpty();
        assertThat(Configured.with(none, PREFIX + "admin.enabled=true").mistakes()).singleElement().asString()
                .startsWith(PREFIX + "admin.roles-allowed is missing.");
        assertThat(Configured.with(PREFIX + "admin.hosts=").mistakes()).singleElement().asString().contains("is empty");
    }

    @ParameterizedTest
    @ValueSource(strings = { "password-of-15c", "long enough for a secret,password-of-15c",
            "password-of-15c,long enough for a secret",
            "the first long secret,the second long secret,the third long secret", ",",
            "\ud83d\udd11\ud83d\udd11\ud83d\udd11\ud83d\udd11\ud83d\udd11\ud83d\udd11\ud83d\udd11\ud83d\udd11" })
    void secretIsReportedWithoutItsText(String secrets) {
        assertThat(Configured.with(PREFIX + "reservation-secret=" + secrets.replace("password-of-15c", "password-of-15c"))
                .mistakes())
                .containsExactly(PREFIX + "reservation-secret must be one secret of at least 16 characters, or two with a comma"
                        + " between them. Its value is not shown.");
    }

    @ParameterizedTest
    @CsvSource({ "a{b", "a}b", "a b", "a\u00a0b", "a\u0007b",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" })
    void keyPrefixMustFitIntoTheNameOfAKey(String keyPrefix) {
        assertThat(Configured.with(PREFIX + "key-prefix=" + keyPrefix).mistakes()).containsExactly(PREFIX + "key-prefix="
                + keyPrefix + " must be 1 to 64 characters without braces, white space and control characters.");
    }
}
