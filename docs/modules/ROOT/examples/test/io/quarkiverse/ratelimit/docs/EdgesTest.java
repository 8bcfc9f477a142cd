package io.quarkiverse.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The algorithms' page says how many calls can come through at worst. */
class EdgesTest {

    /** As many calls as can be at 9.975 s and from {@code second} on, of which 10 and then {@code more} come through. */
    @ParameterizedTest
    @CsvSource({ "fixed, 10, 10", "sliding, 19, 9", "sliding, 10, 0", "log, 10, 0", "log, 19, 0", "bucket, 19, 9" })
    void callsAllowedAroundAnEdgeWithinTenSeconds(String policy, long second, long more) {
        Traffic before = new Traffic("before", 10 * Traffic.SECOND - Traffic.TICK, 0, 10);
        Traffic after = new Traffic("after", second * Traffic.SECOND, 0, 10);

        Run run = Run.of(pictured(policy), List.of(before, after));

        assertThat(run.mostInAnySpan()).isEqualTo(10 + more);
    }

    /** Two a second are twice as many as are allowed. */
    @ParameterizedTest
    @CsvSource({ "bucket, 49", "log, 40" })
    void longRunRateIsExact(String policy, long allowed) {
        Traffic twice = new Traffic("twice", 0, Traffic.SECOND / 2, 80);

        assertThat(Run.of(pictured(policy), List.of(twice)).allowed()).isEqualTo(allowed);
    }

    private static PicturedLimit pictured(String policy) {
        return PicturedLimit.ALL.stream().filter(pictured -> pictured.policy().equals(policy)).findFirst().orElseThrow();
    }
}
