package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.scheduler.FailedExecution;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.mutiny.Uni;

/** Scheduled methods that are due more often than they may run. */
@ApplicationScoped
public class Cleanup {

    static final AtomicInteger RUNS = new AtomicInteger();
    static final AtomicInteger ASYNCHRONOUS_RUNS = new AtomicInteger();
    static final AtomicInteger DENIED = new AtomicInteger();
    static final AtomicBoolean BROKEN = new AtomicBoolean();

    @Scheduled(every = "1s", identity = "limited")
    @RateLimited("runs")
    void run() {
        RUNS.incrementAndGet();
    }

    @Scheduled(every = "1s", identity = "limited-uni")
    @RateLimited("runs")
    Uni<Void> runAsynchronously() {
        ASYNCHRONOUS_RUNS.incrementAndGet();
        return Uni.createFrom().voidItem();
    }

    @Scheduled(every = "1s", identity = "broken")
    void fail() {
        if (BROKEN.get()) {
            throw new IllegalStateException("broken run");
        }
    }

    void observe(@Observes FailedExecution failed) {
        if (failed.getException().getCause() instanceof RateLimitExceededException) {
            DENIED.incrementAndGet();
        }
    }
}
