package io.quarkiverse.ratelimit.it.faults;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.it.faults.LimiterLog.Entry;

/**
 * What was seen of one fault, from shortly before it until Redis decided again.
 *
 * @param inflicted when it began, by {@link System#nanoTime}
 * @param mended when it was over
 */
record Episode(List<Answer> answers, List<Entry> log, long inflicted, long mended) {

    private static final Duration LONG = Duration.ofSeconds(15);
    private static final int SOME = 20;
    private static final int LAST = 5;

    /** Has the fault happen under load. */
    static Episode of(Fault fault, Stage stage, Runnable meanwhile) throws InterruptedException {
        Load load = stage.load();
        long inflicted;
        long mended;
        try (LimiterLog log = new LimiterLog()) {
            try (load) {
                await().atMost(LONG).until(() -> load.isDecidedByRedis(true, LAST));
                log.clear();
                inflicted = System.nanoTime();
                fault.inflict(stage);
                try {
                    if (fault.lasts()) {
                        await().atMost(LONG).until(() -> load.isDecidedByRedis(false, LAST));
                    }
                    long noticed = System.nanoTime();
                    meanwhile.run();
                    await().atMost(LONG).until(() -> load.hasAnswered(SOME, noticed));
                } finally {
                    fault.mend(stage);
                }
                mended = System.nanoTime();
                await().atMost(LONG).until(() -> load.hasAnswered(LAST, mended) && load.isDecidedByRedis(true, LAST)
                        && log.beginnings() == log.ends());
            }
            stage.link().closeForgotten();
            return new Episode(load.answers(), log.entries(), inflicted, mended);
        }
    }

    Stream<Answer> answers(Predicate<Answer> wanted) {
        return answers.stream().filter(wanted);
    }

    /** The answers that tell that Redis has not decided. */
    List<Answer> fallbacks() {
        return answers(answer -> answer.endpoint().tellsWhoDecided() && !answer.redis()).toList();
    }

    /** How long the longest call took that was not held back. */
    Duration longest() {
        return answers(answer -> answer.endpoint() != Endpoint.PACED).map(Answer::took).max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** How long half of the calls took that Redis did not decide. */
    Duration usual() {
        List<Duration> sorted = fallbacks().stream().map(Answer::took).sorted().toList();
        return sorted.isEmpty() ? Duration.ZERO : sorted.get(sorted.size() / 2);
    }

    /** How long after its end the last call came that Redis did not decide. */
    Duration untilDecidedAgain() {
        return Duration.ofNanos(Math.max(0,
                fallbacks().stream().mapToLong(answer -> answer.asked() - mended).max().orElse(0)));
    }

    List<Answer> fallbacks(Endpoint endpoint) {
        return fallbacks().stream().filter(answer -> answer.endpoint() == endpoint).toList();
    }

    Duration length() {
        return Duration.ofNanos(answers.stream().mapToLong(answer -> answer.asked() + answer.took().toNanos()).max().orElse(0)
                - answers.stream().mapToLong(Answer::asked).min().orElse(0));
    }

    long outages() {
        return log.stream().filter(Entry::beginsOutage).count();
    }

    /** How many permits Redis has said to have given of a policy. */
    long charged(Endpoint endpoint) {
        return answers(answer -> answer.endpoint() == endpoint && answer.redis() && answer.isAdmitted()).count();
    }

    /**
     * How many calls Redis may have charged without being heard: those that it has not decided, but for those that came
     * while it was known to be away and did not wait for it.
     */
    long unheard(Endpoint endpoint, Duration timeout) {
        return fallbacks(endpoint).stream()
                .filter(answer -> answer.took().compareTo(timeout.dividedBy(2)) >= 0 || !isInOutage(answer, timeout)).count();
    }

    private boolean isInOutage(Answer answer, Duration timeout) {
        long known = answer.asked() - timeout.toNanos();
        boolean away = false;
        for (Entry entry : log) {
            if (entry.beginsOutage() && entry.at() - known < 0) {
                away = true;
            } else if (entry.endsOutage() && entry.at() - answer.asked() < 0) {
                away = false;
            }
        }
        return away;
    }
}
