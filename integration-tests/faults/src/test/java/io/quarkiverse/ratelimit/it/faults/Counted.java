package io.quarkiverse.ratelimit.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.it.faults.Fault.Counts;
import io.quarkiverse.ratelimit.it.faults.LimiterLog.LogEntry;

/** What must hold after every fault. */
record Counted(RateLimiters limiters, Duration timeout, String caller) {

    private static final Duration LONG = Duration.ofSeconds(15);
    private static final long PERMITS = 1_000_000;
    private static final long AT_ONCE = 1_000;
    private static final long FEW = 6;
    private static final double BUCKET = 10;

    static void assertResponses(Episode episode) {
        assertThat(episode.responses()).allMatch(response -> List.of(200, 429, 503).contains(response.status()))
                .filteredOn(response -> response.status() == 503).allMatch(response -> response.endpoint() == Endpoint.DENY)
                .allMatch(response -> response.retryAfter().equals("1"));
        assertThat(episode.log()).noneMatch(LogEntry::isUnexpected);
    }

    /** No call was counted twice, and every call that Redis allowed was counted. */
    void assertCounts(Episode episode, Counts counts) {
        for (Endpoint endpoint : Stream.of(Endpoint.values()).filter(Endpoint::isCounted).toList()) {
            long used = PERMITS - limiters.get(endpoint.policy()).forKey(caller).peek().remaining();
            long charged = episode.charged(endpoint);
            long unacknowledged = counts == Counts.PERHAPS_MORE ? episode.unacknowledged(endpoint, timeout) : 0;
            if (counts == Counts.LOST) {
                assertThat(used).as(endpoint.policy()).isLessThanOrEqualTo(charged);
            } else {
                assertThat(used).as(endpoint.policy()).isBetween(charged, charged + unacknowledged);
            }
        }
        if (counts != Counts.LOST) {
            assertThat(episode.charged(Endpoint.FEW)).isLessThanOrEqualTo(FEW);
            assertThat((double) episode.charged(Endpoint.BUCKET)).isLessThanOrEqualTo(BUCKET + 1
                    + BUCKET * episode.length().toNanos() / Duration.ofSeconds(1).toNanos());
        }
    }

    /** All calls have released their permits. */
    void assertNothingIsHeld() {
        await().atMost(LONG).until(() -> limiters.get(Endpoint.PARALLEL.policy()).forKey(caller).peek().remaining() == AT_ONCE);
    }
}
