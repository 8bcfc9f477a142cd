package io.quarkiverse.ratelimit.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobalMistakesTest {

    private static final String PREFIX = "quarkus.rate-limit.";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            enabled=yes              | must be true or false.
            admin.enabled=ture       | must be true or false.
            devservices.enabled=no   | must be true or false.
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

    @ParameterizedTest
    @CsvSource({ "a{b", "a}b", "a b", "a\u00a0b", "a\u0007b",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" })
    void keyPrefixMustFitIntoTheNameOfAKey(String keyPrefix) {
        assertThat(Configured.with(PREFIX + "key-prefix=" + keyPrefix).mistakes()).containsExactly(PREFIX + "key-prefix="
                + keyPrefix + " must be 1 to 64 characters without braces, white space and control characters.");
    }
}
