package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class PolicyReaderPenaltyTest {

    private static final String PENALTY = "quarkus.rate-limit.policies.login.penalty.";

    @Test
    void longestBlockIsByDefaultTheFirst() {
        assertThat(penalty("after=5", "within=10m", "block=15m"))
                .isEqualTo(new Penalty(5, Duration.ofMinutes(10), Duration.ofMinutes(15), Duration.ofMinutes(15)));
        assertThat(penalty("after=1", "within=1ms", "block=366d", "max-block=366d"))
                .isEqualTo(new Penalty(1, Duration.ofMillis(1), Duration.ofDays(366), Duration.ofDays(366)));
        assertThat(penalty()).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            after=0        | must be a whole number from 1 to 1000.
            after=1001     | must be a whole number from 1 to 1000.
            within=0       | must be from 1ms to 366d.
            within=367d    | must be from 1ms to 366d.
            block=0        | must be from 1ms to 366d.
            max-block=367d | must be from 1ms to 366d.
            max-block=299s | must be at least penalty.block=5m. Raise it, or remove it.
            """)
    void valueIsReportedWithWhatIsExpected(String line, String mistake) {
        String name = line.substring(0, line.indexOf('='));
        Stream<String> others = Stream.of("after=5", "within=10m", "block=5m").filter(other -> !other.startsWith(name + '='));

        assertThat(login(Stream.concat(others, Stream.of(line)).toArray(String[]::new)).mistakes())
                .containsExactly(PENALTY + line + " " + mistake);
    }

    @Test
    void allThatIsMissingIsReportedTogether() {
        assertThat(login("max-block=1h").mistakes()).containsExactlyInAnyOrder(
                PENALTY + "after is missing. Set penalty.after to the number of denials that block a key, for example 5.",
                PENALTY + "within is missing. Set penalty.within to the time in which these denials count, for example 10m.",
                PENALTY + "block is missing. Set penalty.block to the time for which a key is blocked, for example 15m.");
    }

    @Test
    void concurrencyAndSeveralLimitsHaveAPenaltyToo() {
        assertThat(Configured.with("quarkus.rate-limit.policies.login.limits.open.algorithm=concurrency",
                "quarkus.rate-limit.policies.login.limits.open.permits=5", PENALTY + "after=5", PENALTY + "within=10m",
                PENALTY + "block=15m").read().policies().get("login").countsDenials()).isTrue();
    }

    private static Penalty penalty(String... lines) {
        return login(lines).read().policies().get("login").penalty();
    }

    private static Configured login(String... lines) {
        return Configured.with(Stream.concat(
                Stream.of("quarkus.rate-limit.policies.login.permits=5", "quarkus.rate-limit.policies.login.period=1m"),
                Stream.of(lines).map(line -> PENALTY + line)).toArray(String[]::new));
    }
}
