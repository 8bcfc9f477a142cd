package io.quarkiverse.ratelimit.runtime.devui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;

class LimitFormTest {

    private static final Limit BUCKET = Limit.tokenBucket(20).refill(10, Duration.ofMinutes(1));

    @Test
    void emptyFieldsDoNotChange() {
        assertThat(new LimitForm("", " 5s", "30").applyTo(BUCKET))
                .isEqualTo(Limit.tokenBucket(30).refill(10, Duration.ofSeconds(5)));
        assertThat(new LimitForm(" 7 ", null, "").applyTo(BUCKET))
                .isEqualTo(Limit.tokenBucket(7).refill(7, Duration.ofMinutes(1)));
    }

    @Test
    void permitsOfEveryAlgorithmCanChange() {
        Limit paced = Limit.leakyBucket(10, Duration.ofMinutes(1), Duration.ofSeconds(5));

        assertThat(new LimitForm("7", "", "").applyTo(paced))
                .isEqualTo(Limit.leakyBucket(7, Duration.ofMinutes(1), Duration.ofSeconds(5)));
        assertThat(new LimitForm("7", "", "").applyTo(Limit.concurrency(3))).isEqualTo(Limit.concurrency(7));
    }

    @Test
    void invalidValuesAreExplained() {
        assertFails("many", "", "", "Permits must be a whole number from 1 to 1000000000, but is many.");
        assertFails("", "soon", "", "The period must be a duration like 500ms, 10s, 1m, 1h or 1d, but is soon.");
        assertFails("", "", "0", "The burst must be a whole number from 1 to 1000000000, but is 0.");
        assertThatThrownBy(() -> LimitForm.duration("The duration", "")).hasMessageEndingWith("but nothing is entered.");
    }

    private static void assertFails(String permits, String period, String burst, String message) {
        assertThatThrownBy(() -> new LimitForm(permits, period, burst).applyTo(BUCKET))
                .isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
}
