package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

/** What a limit's algorithm does not have, or lacks, stops the start. */
class LimitReaderMistakesTest {

    private static final String LIMIT = "quarkus.rate-limit.policies.login";
    private static final String[] PROPERTIES = { "permits=5", "period=1m", "burst=9", "refill=greedy", "max-wait=1s",
            "calendar=day", "zone=UTC", "lease-time=30s" };

    @ParameterizedTest
    @CsvSource({ "token-bucket, calendar=day zone=UTC lease-time=30s",
            "leaky-bucket, burst=9 refill=greedy calendar=day zone=UTC lease-time=30s",
            "fixed-window, burst=9 refill=greedy max-wait=1s lease-time=30s",
            "sliding-window, burst=9 refill=greedy max-wait=1s calendar=day zone=UTC lease-time=30s",
            "sliding-log, burst=9 refill=greedy max-wait=1s calendar=day zone=UTC lease-time=30s",
            "concurrency, period=1m burst=9 refill=greedy max-wait=1s calendar=day zone=UTC" })
    void everythingWithoutMeaningIsReportedEvenWhenItIsTheDefault(String algorithm, String meaningless) {
        assertThat(mistakes("algorithm=" + algorithm + " " + String.join(" ", PROPERTIES)))
                .filteredOn(mistake -> mistake.contains(" has no meaning for " + algorithm + ", only for "))
                .extracting(mistake -> mistake.substring(LIMIT.length() + 1, mistake.indexOf(' ')))
                .containsExactlyInAnyOrder(meaningless.split(" "));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            algorithm=sliding-log permits=5 period=1m burst=9 | burst=9 has no meaning for sliding-log, only for token-bucket. Remove it, or choose another algorithm.
            algorithm=sliding-log permits=5 period=1m refill=greedy | refill=greedy has no meaning for sliding-log, only for token-bucket. Remove it, or choose another algorithm.
            algorithm=fixed-window permits=5 period=1m max-wait=0 | max-wait=0 has no meaning for fixed-window, only for token-bucket, leaky-bucket. Remove it, or choose another algorithm.
            permits=5 calendar=day | calendar=day has no meaning for token-bucket, only for fixed-window. Remove it, or choose another algorithm.
            permits=5 period=1m zone=UTC | zone=UTC has no meaning for token-bucket, only for fixed-window. Remove it, or choose another algorithm.
            permits=5 period=1m lease-time=30s | lease-time=30s has no meaning for token-bucket, only for concurrency. Remove it, or choose another algorithm.
            algorithm=concurrency permits=5 period=1m | period=1m has no meaning for concurrency, only for token-bucket, leaky-bucket, fixed-window, sliding-window, sliding-log. Remove it, or choose another algorithm.
            algorithm=concurrency period= | permits is missing. Set permits to the number of calls that may run at the same time.
            algorithm=leaky-bucket permits=5 period=1m | max-wait is missing. Set max-wait to the longest delay of a call, for example 5s.
            algorithm=leaky-bucket permits=5 period=1m max-wait=0 | max-wait=0 must be more than 0 for leaky-bucket, which delays the calls that come too early.
            algorithm=leaky-bucket permits=5 period=1m max-wait=-1s | max-wait=-1s must be from 0 to 366d.
            algorithm=fixed-window permits=5 | period is missing. Set period to the length of a window, for example 1m, or set calendar, for example to day.
            algorithm=fixed-window permits=5 period=1m calendar=day | period=1m has no meaning beside calendar. Remove one of them.
            algorithm=fixed-window permits=5 period=1m zone=UTC | zone=UTC has no meaning without calendar. Set calendar, for example to day, or remove zone.
            algorithm=sliding-window permits=5 | period is missing. Set period to the time in which the permits come back, for example 1m.
            algorithm=concurrency permits=5 lease-time=999ms | lease-time=999ms must be from 1s to 1d.
            algorithm=concurrency permits=5 lease-time=25h | lease-time=25h must be from 1s to 1d.
            """)
    void mistakeIsReportedWithItsRemedy(String properties, String mistake) {
        assertThat(mistakes(properties)).filteredOn(reported -> !reported.contains(" is empty."))
                .containsExactly(LIMIT + "." + mistake);
    }

    @Test
    void everyMistakeOfANamedLimitIsReportedUnderItsName() {
        assertThat(Configured.with(LIMIT + ".limits.nightly.algorithm=fixed-window", LIMIT + ".limits.nightly.permits=0",
                LIMIT + ".limits.nightly.calendar=day", LIMIT + ".limits.nightly.period=1m",
                LIMIT + ".limits.nightly.lease-time=1m",
                LIMIT + ".limits.nightly.burst=3").mistakes()).hasSize(4)
                .allMatch(mistake -> mistake.startsWith(LIMIT + ".limits.nightly."));
    }

    @ParameterizedTest
    @CsvSource({ "logIn, LOGIN", "log-in, LOG_IN" })
    void variableIsGivenLikeAnyOther(String policy, String variable) {
        assertThat(Configured.with("quarkus.rate-limit.policies." + policy + ".algorithm=sliding-log",
                "quarkus.rate-limit.policies." + policy + ".permits=5", "quarkus.rate-limit.policies." + policy + ".period=1m")
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_" + variable + "_REFILL", "greedy").mistakes())
                .containsExactly("quarkus.rate-limit.policies." + policy + ".refill=greedy has no meaning for sliding-log, only"
                        + " for token-bucket. Remove it, or choose another algorithm.");
    }

    private static Iterable<String> mistakes(String properties) {
        return Configured.with(Arrays.stream(properties.split(" ")).map(line -> LIMIT + "." + line).toArray(String[]::new))
                .mistakes();
    }
}
