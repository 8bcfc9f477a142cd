package io.quarkiverse.ratelimit.runtime.engine.pauses;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestedPauseTest {

    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # seconds
            30 | PT30S
            0 | PT0S
            007 | PT7S
            2.0 | PT2S
            299.997 | PT4M59.997S
            0.493 | PT0.493S
            0.0001 | PT0.001S
            1.00000000000000000000000000000000000000001 | PT1.001S
            31622400 | PT8784H
            # several
            30, 60 | PT1M
            60 ,30 | PT1M
            0, 1.5 | PT1.5S
            , 30, | PT30S
            # dates: IMF-fixdate, RFC 850, asctime
            Sun, 29 Nov 2026 12:00:30 GMT | PT30S
            Tue, 1 Dec 2026 12:00:00 GMT | PT48H
            Tue, 01 Dec 2026 12:00:00 GMT | PT48H
            Sun, 29 Nov 2026 23:59:60 GMT | PT12H
            Sunday, 29-Nov-26 23:59:60 GMT | PT12H
            Sun Nov 29 23:59:60 2026 | PT12H
            Sunday, 29-Nov-26 12:00:30 GMT | PT30S
            Sun Nov 29 12:00:30 2026 | PT30S
            Tue Dec  1 12:00:00 2026 | PT48H
            Monday, 30-Nov-26 12:00:00 GMT | PT24H
            Tuesday, 01-Dec-26 12:00:00 GMT | PT48H
            Wednesday, 02-Dec-26 12:00:00 GMT | PT72H
            Thursday, 03-Dec-26 12:00:00 GMT | PT96H
            Sun, 29 Nov 2026 11:00:00 GMT | PT0S
            Mon, 01 Jan 2001 00:00:00 GMT | PT0S
            Sunday, 06-Nov-94 08:49:37 GMT | PT0S
            Sun Nov  6 08:49:37 1994 | PT0S
            Sun, 29 Nov 2026 12:00:30 GMT, 10, Sunday, 29-Nov-26 12:00:40 GMT | PT40S
            Sun Nov 29 12:00:30 2026, 45 | PT45S
            """)
    void valueIsUnderstood(String value, Duration time) {
        assertThat(RequestedPause.of(429, Map.of("Retry-After", List.of(value)), NOW))
                .isEqualTo(new RequestedPause(time, List.of()));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = { "-5", "+5", "soon", "", " ", "1.", ".5", "30s", "1e3", "0x10", "١٢", "31622400.0001",
            "31622401",
            "99999999999999999999", "1 2",
            // the weekday does not fit
            "Mon, 29 Nov 2026 12:00:30 GMT", "Monday, 29-Nov-26 12:00:30 GMT", "Mon Nov 29 12:00:30 2026",
            // not a date of HTTP
            "Sun, 29 Nov 2026 12:00:30 UTC", "Sun, 29 Nov 2026 12:00:30 +0000", "Sun, 29 Nov 2026 12:00 GMT",
            "sun, 29 nov 2026 12:00:30 gmt", "29 Nov 2026 12:00:30 GMT", "Sun, 31 Nov 2026 12:00:30 GMT",
            "Sun, 29 Nov 2026 24:00:30 GMT", "Sonday, 29-Nov-26 12:00:30 GMT", "Wedday, 02-Dec-26 12:00:00 GMT",
            "Sun Nov 29 12:00:30 26", "2026-11-29T12:00:30Z", "TueDec  1 12:00:00 2026", "Tue, 01Dec 2026 12:00:00 GMT",
            "Tuesday, 01- Dec-26 12:00:00 GMT", "Tue Dec 1 12:00:00 2026",
            "Sun, 29 Nov 2026 12:00:60 GMT", "Sun, 29 Nov 2026 23:59:61 GMT",
            // no value
            ",", " , ,",
            // more than 366 days ahead
            "Fri, 31 Dec 9999 23:59:59 GMT", "Wed, 01 Dec 2027 12:00:00 GMT" })
    void valueIsNotUnderstood(String value) {
        RequestedPause pause = RequestedPause.of(429, Map.of("Retry-After", List.of(value)), NOW);

        assertThat(pause.time()).isZero();
        assertThat(pause.notUnderstood()).first().asString().startsWith("Retry-After: ");
    }

    /** As servers send them with HTTP/2. */
    @Test
    void namesOfHeadersAreReadInAnyCase() {
        assertThat(RequestedPause.of(429, Map.of("retry-after", List.of("30")), NOW).time()).isEqualTo(Duration.ofSeconds(30));
        assertThat(RequestedPause.of(429, Map.of("ratelimit", List.of("\"a\";r=0;t=45")), NOW).time())
                .isEqualTo(Duration.ofSeconds(45));
    }

    @Test
    void largestOfSeveralFieldsThatIsUnderstoodCounts() {
        assertThat(RequestedPause.of(503, Map.of("Retry-After", List.of("30", "soon, 60", "-1")), NOW))
                .isEqualTo(new RequestedPause(Duration.ofMinutes(1), List.of("Retry-After: soon", "Retry-After: -1")));
    }

    @ParameterizedTest
    @ValueSource(strings = { "Mon, 01 Jan 2001 00:00:00 GMT", "Monday, 01-Jan-01 00:00:00 GMT", "Mon Jan  1 00:00:00 2001" })
    void dateIsComparedWithThatOfTheResponse(String sent) {
        Map<String, List<String>> headers = Map.of("Retry-After", List.of("Mon, 01 Jan 2001 00:05:00 GMT"), "Date",
                List.of(sent));

        assertThat(RequestedPause.of(429, headers, NOW).time()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void dateIsComparedWithTheClockWithoutAReadableDate() {
        Map<String, List<String>> headers = Map.of("Retry-After", List.of("Sun, 29 Nov 2026 12:00:30 GMT"), "Date",
                List.of("now"));

        assertThat(RequestedPause.of(429, headers, NOW).time()).isEqualTo(Duration.ofSeconds(30));
    }

    @ParameterizedTest
    @CsvSource({ "200, 0", "302, 0", "399, 0", "400, 30", "403, 30", "404, 30", "408, 30", "429, 30", "500, 30", "503, 30",
            "529, 30", "599, 30", "600, 0" })
    void everyErrorPauses(int status, int seconds) {
        assertThat(RequestedPause.of(status, Map.of("Retry-After", List.of("30")), NOW))
                .isEqualTo(new RequestedPause(Duration.ofSeconds(seconds), List.of()));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            "default";r=0;t=45 | 45
            default;t=45;r=0 | 45
            "a";r=0;t=45, "b";r=0;t=60, "c";r=1;t=600 | 60
            "a";r=5;t=45 | 0
            "a";r=0 | 0
            "a";r=0;t=0 | 0
            "a";t=45 | 0
            "a";r=00;t=45 | 45
            "a";r=-0;t=45 | 45
            "a";r=-1;t=45 | 0
            "a,\\";r=0;t=9";r=0;t=45;pk=:YWI=: | 45
            "a"; r=0; t=45 , "b";r=10;t=50 | 45
            "a";note="x;r=0;t=9";r=3;t=45 | 0
            """)
    void limitsOfTheServiceThatAreUsedUpCountOn429And503(String rateLimit, int seconds) {
        Map<String, List<String>> headers = new HashMap<>(Map.of("RateLimit", List.of(rateLimit)));
        RequestedPause expected = new RequestedPause(Duration.ofSeconds(seconds), List.of());

        assertThat(RequestedPause.of(429, headers, NOW)).isEqualTo(expected);
        assertThat(RequestedPause.of(503, headers, NOW)).isEqualTo(expected);
        assertThat(RequestedPause.of(403, headers, NOW).time()).isZero();

        headers.put("Retry-After", List.of("soon"));
        assertThat(RequestedPause.of(429, headers, NOW).time()).isEqualTo(expected.time());
        headers.put("Retry-After", List.of("0"));
        assertThat(RequestedPause.of(429, headers, NOW).time()).isZero();
        headers.put("Retry-After", List.of("7"));
        assertThat(RequestedPause.of(429, headers, NOW).time()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void emptyFieldsOfRateLimitAreIgnored() {
        for (List<String> fields : List.of(List.of("", "\"a\";r=0;t=45"), List.of("\"a\";r=0;t=45", " "))) {
            assertThat(RequestedPause.of(429, Map.of("RateLimit", fields), NOW))
                    .isEqualTo(new RequestedPause(Duration.ofSeconds(45), List.of()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "\"a;r=0;t=45", "\"a\";r=0;t=-45", "\"a\";r=0;t=31622401", "\"a\";r=0;t=4.5",
            "\"a\" \"b\";r=0;t=45",
            "limit=100, remaining=0, reset=45", "(\"a\");r=0;t=45", "" })
    void malformedRateLimitIsNotUnderstood(String rateLimit) {
        RequestedPause pause = RequestedPause.of(429, Map.of("RateLimit", List.of(rateLimit)), NOW);

        assertThat(pause.time()).isZero();
        assertThat(pause.notUnderstood()).hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void valuesAreShownWithoutControlCharactersAndShortened() {
        String value = "a\u001b[31m\r\nb\u00e9" + "c".repeat(200);

        assertThat(RequestedPause.of(429, Map.of("Retry-After", List.of(value)), NOW).notUnderstood())
                .containsExactly("Retry-After: a[31mb" + "c".repeat(94));
    }

    @Test
    void longValuesAreReadInAShortTime() {
        for (String value : List.of("9".repeat(60_000), "1.".repeat(30_000), ",".repeat(60_000), "Sun,".repeat(15_000))) {
            assertThat(RequestedPause.of(429, Map.of("Retry-After", List.of(value)), NOW).time()).isZero();
        }
        for (String value : List.of("\"" + "\\".repeat(60_000), "a" + ";a".repeat(30_000), "a;r=\"" + "\\\\".repeat(30_000),
                "a,".repeat(30_000))) {
            assertThat(RequestedPause.of(429, Map.of("RateLimit", List.of(value)), NOW).time()).isZero();
        }
    }
}
