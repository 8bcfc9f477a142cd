package io.quarkiverse.ratelimit.runtime.start;

import java.util.ArrayList;
import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.engine.MostDenied;
import io.quarkiverse.ratelimit.runtime.engine.Overrides;
import io.vertx.core.Vertx;

/** Exchanges overrides and denials with the other instances, about once per second. */
final class PeriodicTasks {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long REFRESH_MILLIS = 500;
    private static final long MOVE_DENIALS_MILLIS = 1_000;

    private final Vertx vertx;
    private final List<Long> timers = new ArrayList<>();

    PeriodicTasks(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Reads the overrides that are in force now, and then each change. */
    void refresh(Overrides overrides) {
        ShortWait.until(overrides.refresh().subscribeAsCompletionStage(), "Overrides are not read yet");
        timers.add(vertx.setPeriodic(REFRESH_MILLIS, ignored -> overrides.refresh().subscribe().with(seen -> {
        }, unavailable -> LOG.debugf("Overrides could not be read: %s", unavailable.getMessage()))));
    }

    /** Moves the denials that this instance has counted. */
    void move(MostDenied denied) {
        timers.add(vertx.setPeriodic(MOVE_DENIALS_MILLIS, ignored -> denied.move().subscribe().with(moved -> {
        }, unavailable -> LOG.debugf("Denials were not counted: %s", unavailable.getMessage()))));
    }

    void stop() {
        timers.forEach(vertx::cancelTimer);
    }
}
