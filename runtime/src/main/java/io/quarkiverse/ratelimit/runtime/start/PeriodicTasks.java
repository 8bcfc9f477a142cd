package io.quarkiverse.ratelimit.runtime.start;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.engine.admin.MostDenied;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;

/** Exchanges overrides and denials with the other instances, about once per second. */
final class PeriodicTasks {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Duration REFRESH = Duration.ofMillis(500);
    private static final Duration MOVE_DENIALS = Duration.ofSeconds(1);

    private final Timers timers;
    private final List<Runnable> cancellations = new ArrayList<>();

    PeriodicTasks(Timers timers) {
        this.timers = timers;
    }

    /** Reads each change of the overrides. */
    void refresh(Overrides overrides) {
        cancellations.add(timers.every(REFRESH, () -> overrides.refresh().subscribe().with(seen -> {
        }, unavailable -> LOG.debugf("Overrides could not be read: %s", unavailable.getMessage()))));
    }

    /** Moves the denials that this instance has counted. */
    void move(MostDenied denied) {
        cancellations.add(timers.every(MOVE_DENIALS, () -> denied.move().subscribe().with(moved -> {
        }, unavailable -> LOG.debugf("Denials were not counted: %s", unavailable.getMessage()))));
    }

    void stop() {
        cancellations.forEach(Runnable::run);
    }
}
