package io.quarkiverse.ratelimit.runtime.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaitsTest {

    @ParameterizedTest
    @CsvSource({ "PT0S, 1 s", "PT0.000001S, 1 s", "PT1S, 1 s", "PT5.000001S, 6 s", "PT59S, 59 s", "PT59.1S, 1 min",
            "PT1M27S, 1 min 27 s", "PT30M, 30 min", "PT59M59S, 59 min 59 s", "PT59M59.5S, 1 h", "PT1H1S, 1 h 1 min",
            "PT13H11M39.678941S, 13 h 12 min", "PT23H59M, 23 h 59 min", "PT23H59M0.1S, 1 d", "PT24H1S, 1 d 1 h",
            "PT8783H0.1S, 366 d", "PT8784H, 366 d" })
    void twoLargestUnitsAreRoundedUp(Duration wait, String words) {
        assertThat(Waits.inWords(wait)).isEqualTo(words);
    }
}
