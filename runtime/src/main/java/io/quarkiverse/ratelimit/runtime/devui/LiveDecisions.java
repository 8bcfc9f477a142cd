package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.Effect;
import io.smallrye.mutiny.Multi;

/** Answers the page of decisions: hands on what is decided while somebody looks, and keeps nothing for nobody. */
@Singleton
public class LiveDecisions implements DecisionObserver {

    private static final Duration OFTEN = Duration.ofMillis(200);

    private final Clock clock = Clock.systemUTC();
    private final List<Viewer> viewers = new CopyOnWriteArrayList<>();
    private final LongAdder count = new LongAdder();

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        count.increment();
        for (Viewer viewer : viewers) {
            viewer.show(new Told(clock.millis(), policy, effect.text(), decision));
        }
    }

    /** How many decisions there have been since the start. */
    public Multi<String> decisionCount() {
        return Multi.createFrom().ticks().every(Duration.ofSeconds(1)).onOverflow().drop()
                .map(ignored -> String.valueOf(count.sum())).skip().repetitions();
    }

    /** What is decided from now on, a few times a second. */
    public Multi<Viewer.Seen> decisions() {
        return Multi.createFrom().deferred(() -> {
            Viewer viewer = new Viewer();
            viewers.add(viewer);
            return Multi.createFrom().ticks().every(OFTEN).onOverflow().drop()
                    .map(ignored -> viewer.look()).filter(seen -> !seen.decisions().isEmpty())
                    .onTermination().invoke(() -> viewers.remove(viewer));
        });
    }

    /** @param decision {@code null} where the caller is exempt */
    record Told(long time, String policy, String outcome, RateLimitDecision decision) {
    }
}
