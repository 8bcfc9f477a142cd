package io.quarkiverse.ratelimit.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.it.faults.Fault.Counts;
import io.quarkiverse.ratelimit.it.faults.LimiterLog.Entry;

/** What holds whatever has happened to Redis. */
record Counted(RateLimiters limiters, Duration timeout, String caller) {

    private static final Duration LONG = Duration.ofSeconds(15);
    private static final long PERMITS = 1_000_000;
    private static final long AT_ONCE = 1_000;
    private static final long FEW = 6;
    private static final double BUCKET = 10;

    static void assertAnswers(Episode episode) {
        assertThat(episode.answers()).allMatch(answer -> List.of(200, 429, 503).contains(answer.status()))
                .filteredOn(answer -> answer.status() == 503).allMatch(answer -> answer.endpoint() == Endpoint.DENY)
                .allMatch(answer -> answer.retryAfter().equals("1"));
        assertThat(episode.log()).noneMatch(Entry::isUnexpected);
    }

    /** Nothing was counted twice, and nothing that Redis has admitted was not counted. */
    void assertCounts(Episode episode, Counts counts) {
        for (Endpoint endpoint : Stream.of(Endpoint.values()).filter(Endpoint::isCounted).toList()) {
            long used = PERMITS - limiters.get(endpoint.policy()).peekAndAwait(caller).remaining();
            long charged = episode.charged(endpoint);
            long unheard = counts == Counts.PERHAPS_MORE ? episode.unheard(endpoint, timeout) : 0;
            if (counts == Counts.LOST) {
                assertThat(used).as(endpoint.policy()).isLessThanOrEqualTo(charged);
            } else {
                assertThat(used).as(endpoint.policy()).isBetween(charged, charged + unheard);
            }
        }
        if (counts != Counts.LOST) {
            assertThat(episode.charged(Endpoint.FEW)).isLessThanOrEqualTo(FEW);
            assertThat((double) episode.charged(Endpoint.BUCKET)).isLessThanOrEqualTo(BUCKET + 1
                    + BUCKET * episode.length().toNanos() / Duration.ofSeconds(1).toNanos());
        }
    }

    /** All that ran has given back its permit. */
    void assertNothingIsHeld() {
        await().atMost(LONG).until(() -> limiters.get(Endpoint.PARALLEL.policy()).peekAndAwait(caller).remaining() == AT_ONCE);
    }
}
