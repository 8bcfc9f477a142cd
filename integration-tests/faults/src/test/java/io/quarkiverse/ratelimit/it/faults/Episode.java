package io.quarkiverse.ratelimit.it.faults;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.it.faults.LimiterLog.LogEntry;

/**
 * The responses and log entries of one fault, from shortly before it until Redis decides again.
 *
 * @param started when it began, by {@link System#nanoTime}
 * @param ended when it was over
 */
record Episode(List<CallResponse> responses, List<LogEntry> log, long started, long ended) {

    private static final Duration LONG = Duration.ofSeconds(15);
    private static final int SOME = 20;
    private static final int LAST = 5;

    /** Runs the fault under load. */
    static Episode of(Fault fault, Stage stage, Runnable meanwhile) throws InterruptedException {
        Load load = stage.load();
        long started;
        long ended;
        try (LimiterLog log = new LimiterLog()) {
            try (load) {
                await().atMost(LONG).until(() -> load.isDecidedByRedis(true, LAST));
                log.clear();
                started = System.nanoTime();
                fault.start(stage);
                try {
                    if (fault.lasts()) {
                        await().atMost(LONG).until(() -> load.isDecidedByRedis(false, LAST));
                    }
                    long noticed = System.nanoTime();
                    meanwhile.run();
                    await().atMost(LONG).until(() -> load.hasResponses(SOME, noticed));
                } finally {
                    fault.end(stage);
                }
                ended = System.nanoTime();
                await().atMost(LONG).until(() -> load.hasResponses(LAST, ended) && load.isDecidedByRedis(true, LAST)
                        && log.beginnings() == log.ends());
            }
            stage.link().closeDropped();
            return new Episode(load.responses(), log.entries(), started, ended);
        }
    }

    Stream<CallResponse> responses(Predicate<CallResponse> wanted) {
        return responses.stream().filter(wanted);
    }

    /** The responses that Redis did not decide. */
    List<CallResponse> fallbacks() {
        return responses(response -> response.endpoint().showsSource() && !response.redis()).toList();
    }

    /** How long the longest call took that was not delayed. */
    Duration longest() {
        return responses(response -> response.endpoint() != Endpoint.PACED).map(CallResponse::took)
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** The median time of calls that Redis did not decide. */
    Duration usual() {
        List<Duration> sorted = fallbacks().stream().map(CallResponse::took).sorted().toList();
        return sorted.isEmpty() ? Duration.ZERO : sorted.get(sorted.size() / 2);
    }

    /** The time from the end of the fault to the last call that Redis did not decide. */
    Duration untilDecidedAgain() {
        return Duration.ofNanos(Math.max(0,
                fallbacks().stream().mapToLong(response -> response.started() - ended).max().orElse(0)));
    }

    List<CallResponse> fallbacks(Endpoint endpoint) {
        return fallbacks().stream().filter(response -> response.endpoint() == endpoint).toList();
    }

    Duration length() {
        return Duration.ofNanos(
                responses.stream().mapToLong(response -> response.started() + response.took().toNanos()).max().orElse(0)
                        - responses.stream().mapToLong(CallResponse::started).min().orElse(0));
    }

    long outages() {
        return log.stream().filter(LogEntry::beginsOutage).count();
    }

    /** The number of permits of a policy that Redis granted. */
    long charged(Endpoint endpoint) {
        return responses(response -> response.endpoint() == endpoint && response.redis() && response.isAllowed()).count();
    }

    /**
     * The number of calls that Redis may have charged although its reply did not arrive: those that it did not decide, except
     * those during a known outage, which do not wait for Redis.
     */
    long unacknowledged(Endpoint endpoint, Duration timeout) {
        return fallbacks(endpoint).stream()
                .filter(response -> response.took().compareTo(timeout.dividedBy(2)) >= 0 || !isInOutage(response, timeout))
                .count();
    }

    private boolean isInOutage(CallResponse response, Duration timeout) {
        long known = response.started() - timeout.toNanos();
        boolean outage = false;
        for (LogEntry entry : log) {
            if (entry.beginsOutage() && entry.at() - known < 0) {
                outage = true;
            } else if (entry.endsOutage() && entry.at() - response.started() < 0) {
                outage = false;
            }
        }
        return outage;
    }
}
