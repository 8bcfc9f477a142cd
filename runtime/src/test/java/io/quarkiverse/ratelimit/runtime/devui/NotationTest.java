package io.quarkiverse.ratelimit.runtime.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneId;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;

class NotationTest {

    @Test
    void limitsReadAsTheyAreConfigured() {
        assertThat(Notation.of(Limit.tokenBucket(20).refill(10, Duration.ofSeconds(90))))
                .isEqualTo("token-bucket, 10 per 90s, burst 20");
        assertThat(Notation.of(Limit.slidingLog(5, Duration.ofDays(2)))).isEqualTo("sliding-log, 5 per 2d");
        assertThat(Notation.of(Limit.fixedWindow(7, CalendarPeriod.DAY, ZoneId.of("Europe/Berlin"))))
                .isEqualTo("fixed-window, 7 per day in Europe/Berlin");
        assertThat(Notation.of(Limit.concurrency(3))).isEqualTo("concurrency, 3 at the same time");
    }

    @Test
    void durationsAreWholeNumbersOfTheLargestUnit() {
        assertThat(Notation.of(Duration.ofMillis(1500))).isEqualTo("1500ms");
        assertThat(Notation.of(Duration.ofMinutes(120))).isEqualTo("2h");
        assertThat(Notation.of(Duration.ZERO)).isEqualTo("0");
        assertThat(Notation.of(Duration.ofNanos(1_000))).isEqualTo("PT0.000001S");
    }

    @Test
    void waitsAreRoundedUp() {
        assertThat(Notation.wait(Duration.ZERO)).isEmpty();
        assertThat(Notation.wait(Duration.ofNanos(1_000))).isEqualTo("1 ms");
        assertThat(Notation.wait(Duration.ofNanos(999_000_001))).isEqualTo("1 s");
        assertThat(Notation.wait(Duration.ofMillis(5_901))).isEqualTo("6 s");
        assertThat(Notation.wait(Duration.ofMillis(5_801))).isEqualTo("5.9 s");
        assertThat(Notation.wait(Duration.ofMillis(59_999))).isEqualTo("1 min");
        assertThat(Notation.wait(Duration.ofMillis(61_001))).isEqualTo("1 min 2 s");
        assertThat(Notation.wait(Duration.ofMinutes(61))).isEqualTo("1 h 1 min");
        assertThat(Notation.wait(Duration.ofHours(49))).isEqualTo("2 d 1 h");
    }
}
