package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class PolicyReaderMistakesTest {

    private static final String LOGIN = "quarkus.rate-limit.policies.login";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            permits=0                       | must be a whole number from 1 to 1000000000.
            permits=-5                      | must be a whole number from 1 to 1000000000.
            permits=1000000001              | must be a whole number from 1 to 1000000000.
            burst=0                         | must be a whole number from 1 to 1000000000.
            period=0                        | must be from 1ms to 366d.
            period=-1s                      | must be from 1ms to 366d.
            period=367d                     | must be from 1ms to 366d.
            period=PT0.0000001S             | must be from 1ms to 366d.
            period=PT1.0000001S             | must be a whole number of microseconds.
            max-wait=-1s                    | must be from 0 to 366d.
            max-wait=367d                   | must be from 0 to 366d.
            max-wait=PT1.0000001S           | must be a whole number of microseconds.
            enabled=1                       | must be true or false.
            denial-cache=61s                | must be from 0 to 60s.
            denial-cache=-1s                | must be from 0 to 60s.
            prefetch=-1                     | must be a whole number from 0 to 1000000000.
            prefetch=6                      | must not be above the capacity, which is 5.
            prefetch-time=500ms             | has no meaning without prefetch. Set prefetch, for example to 100, or remove prefetch-time.
            """)
    void valueIsReportedWithWhatIsExpected(String line, String mistake) {
        assertThat(Configured.with(LOGIN + ".permits=5", LOGIN + ".period=1m", LOGIN + "." + line).mistakes())
                .containsExactly(LOGIN + "." + line + " " + mistake);
    }

    @ParameterizedTest
    @CsvSource({ "permits", "period", "burst", "calendar", "key", "on-redis-failure", "exempt-roles", "exempt-ips",
            "count-when", "plan", "plan-order", "penalty.after", "penalty.max-block" })
    void emptyValueIsReportedOnce(String property) {
        assertThat(Configured.with(LOGIN + ".permits=5", LOGIN + ".period=1m", LOGIN + "." + property + "=").mistakes())
                .containsExactly(LOGIN + "." + property
                        + " (application.properties) is empty. Give it a value or remove it.");
    }

    @ParameterizedTest
    @CsvSource({ "-1s", "86401s" })
    void jitterOfWaitsIsAtMostADay(String jitter) {
        assertThat(Configured.with(LOGIN + ".permits=5", LOGIN + ".period=1m", LOGIN + ".retry-after-jitter=" + jitter)
                .mistakes()).singleElement().asString().startsWith(LOGIN + ".retry-after-jitter=" + jitter);
    }

    @ParameterizedTest
    @CsvSource({ "sliding-window,", "sliding-log,", "leaky-bucket,1s", "token-bucket,1s" })
    void prefetchWithAnotherAlgorithmIsReported(String algorithm, String maxWait) {
        Configured configured = Configured.with(LOGIN + ".permits=5", LOGIN + ".period=1m", LOGIN + ".prefetch=5",
                LOGIN + ".algorithm=" + algorithm, maxWait == null ? LOGIN + ".mode=shadow" : LOGIN + ".max-wait=" + maxWait);

        assertThat(configured.mistakes()).containsExactly(LOGIN + ".prefetch=5 works with a token-bucket without max-wait and"
                + " with a fixed-window only. Remove prefetch, or choose one of these.");
    }

    @Test
    void prefetchIsReportedTogetherWithMistakesOfTheLimit() {
        assertThat(Configured.with(LOGIN + ".permits=5", LOGIN + ".period=1m", LOGIN + ".prefetch=5",
                LOGIN + ".algorithm=sliding-log", LOGIN + ".burst=2").mistakes()).hasSize(2)
                .anyMatch(mistake -> mistake.startsWith(LOGIN + ".prefetch=5 works with"))
                .anyMatch(mistake -> mistake.startsWith(LOGIN + ".burst=2 has no meaning for sliding-log"));
        assertThat(Configured.with(LOGIN + ".permits=0", LOGIN + ".period=1m", LOGIN + ".prefetch=5").mistakes())
                .singleElement().asString().startsWith(LOGIN + ".permits=0");
    }

    @Test
    void prefetchWithSeveralLimitsIsReported() {
        assertThat(Configured.with(LOGIN + ".limits.slow.permits=5", LOGIN + ".limits.slow.period=1h", LOGIN + ".prefetch=5",
                LOGIN + ".limits.fast.permits=5", LOGIN + ".limits.fast.period=1m").mistakes()).containsExactly(
                        LOGIN + ".prefetch=5 works with one limit, but the policy has 2. Remove prefetch, or make them policies"
                                + " of their own.");
    }

    @ParameterizedTest
    @ValueSource(strings = { "PT0.000999S", "0", "61s" })
    void prefetchTimeOutOfRangeIsReported(String time) {
        assertThat(Configured.with(LOGIN + ".permits=5", LOGIN + ".period=1m", LOGIN + ".prefetch=5",
                LOGIN + ".prefetch-time=" + time).mistakes()).singleElement().asString()
                .startsWith(LOGIN + ".prefetch-time=" + time);
    }

    @Test
    void policyWithoutLimitIsReported() {
        assertThat(Configured.with(LOGIN + ".key=ip").mistakes()).containsExactly(
                LOGIN + ".* has no limit. Set permits and period there, or in " + LOGIN + ".limits.<limit>.*.");
    }

    @Test
    void policyWithOnlyAnAlgorithmLacksItsNumbers() {
        assertThat(Configured.with(LOGIN + ".algorithm=sliding-log").mistakes()).containsExactly(
                LOGIN + ".period is missing. Set period to the time in which the permits come back, for example 1m.",
                LOGIN + ".permits is missing. Set permits to the number of permits per period.");
    }

    @Test
    void permitsNeedAPeriodAndAPeriodPermits() {
        assertThat(Configured.with(LOGIN + ".permits=5", LOGIN + ".limits-off=1").mistakes()).hasSize(2)
                .contains(LOGIN + ".period is missing. Set period to the time in which the permits come back, for example 1m.");
        assertThat(Configured.with(LOGIN + ".limits.slow.period=1h").mistakes()).containsExactly(
                LOGIN + ".limits.slow.permits is missing. Set permits to the number of permits per period.");
    }

    @Test
    void bucketWithAFillTimeAboveACenturyIsReported() {
        assertThat(Configured.with(LOGIN + ".permits=1", LOGIN + ".period=366d", LOGIN + ".burst=101").mistakes())
                .containsExactly(LOGIN + ".*: burst * period / permits must be at most 100 years, but a burst of 101 at 1 per"
                        + " PT8784H takes longer to fill. Lower burst or period, or raise permits.");
    }

    @Test
    void numbersBesideNamedLimitsAreReported() {
        assertThat(Configured.with(LOGIN + ".limits.slow.permits=5", LOGIN + ".limits.slow.period=1h", LOGIN + ".burst=9",
                LOGIN + ".refill=greedy", LOGIN + ".lease-time=30s", LOGIN + ".key=ip").mistakes()).containsExactly(
                        LOGIN + ".burst means nothing beside " + LOGIN + ".limits.*, which inherit nothing. Move it to the"
                                + " limits it is meant for: " + LOGIN + ".limits.<limit>.burst.",
                        LOGIN + ".lease-time means nothing beside " + LOGIN + ".limits.*, which inherit nothing. Move it to"
                                + " the limits it is meant for: " + LOGIN + ".limits.<limit>.lease-time.",
                        LOGIN + ".refill means nothing beside " + LOGIN + ".limits.*, which inherit nothing. Move it to the"
                                + " limits it is meant for: " + LOGIN + ".limits.<limit>.refill.");
    }

    @Test
    void namesMustFitIntoTheNameOfAKey() {
        assertThat(Configured.with(
                "quarkus.rate-limit.policies.\"log.in\".limits.\"per\\ minute\".permits=5",
                "quarkus.rate-limit.policies.\"log.in\".limits.\"per\\ minute\".period=1m").mistakes()).hasSize(2)
                .contains("quarkus.rate-limit.policies.\"log.in\".* is no name of a policy. Use 1 to 64 letters, digits,"
                        + " underscores and dashes.")
                .anyMatch(mistake -> mistake.contains("is no name of a limit."));
    }

    @Test
    void mistakenKeyIsReportedUnderItsName() {
        assertThat(Configured.with(LOGIN + ".permits=5", LOGIN + ".period=1m", LOGIN + ".key=ip,").mistakes())
                .singleElement().asString().startsWith(LOGIN + ".key: \"\" is no part of a key.");
    }

    @Test
    void disabledPolicyIsCheckedAllTheSame() {
        assertThat(Configured.with(LOGIN + ".enabled=false", LOGIN + ".permits=0", LOGIN + ".period=1m").mistakes())
                .containsExactly(LOGIN + ".permits=0 must be a whole number from 1 to 1000000000.");
    }
}
