package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.events.Effect;
import io.smallrye.mutiny.Multi;

/** Serves the page of live decisions. Sends decisions while a browser shows the page, and otherwise only counts them. */
@Singleton
public class DecisionFeed implements DecisionObserver {

    private static final Duration UPDATE_INTERVAL = Duration.ofMillis(200);

    private final Clock clock = Clock.systemUTC();
    private final List<Viewer> viewers = new CopyOnWriteArrayList<>();
    private final LongAdder count = new LongAdder();

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        count.increment();
        for (Viewer viewer : viewers) {
            viewer.show(new Observed(clock.millis(), policy, effect.text(), decision));
        }
    }

    /** The number of decisions since the start. */
    public Multi<String> decisionCount() {
        return Multi.createFrom().ticks().every(Duration.ofSeconds(1)).onOverflow().drop()
                .map(ignored -> String.valueOf(count.sum())).skip().repetitions();
    }

    /** The decisions from now on, in batches, several times a second. */
    public Multi<Viewer.Update> decisions() {
        return Multi.createFrom().deferred(() -> {
            Viewer viewer = new Viewer();
            viewers.add(viewer);
            return Multi.createFrom().ticks().every(UPDATE_INTERVAL).onOverflow().drop()
                    .map(ignored -> viewer.drain()).filter(update -> !update.decisions().isEmpty())
                    .onTermination().invoke(() -> viewers.remove(viewer));
        });
    }

    /** @param decision {@code null} when the caller is exempt */
    record Observed(long time, String policy, String outcome, RateLimitDecision decision) {
    }
}
