package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.scheduler.FailedExecution;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;

/** Scheduled methods that are due more often than they may run. */
@ApplicationScoped
public class Cleanup {

    static final AtomicInteger RUNS = new AtomicInteger();
    static final AtomicInteger ASYNCHRONOUS_RUNS = new AtomicInteger();
    static final AtomicInteger STAGED_RUNS = new AtomicInteger();
    static final AtomicInteger NON_BLOCKING_RUNS = new AtomicInteger();
    static final AtomicInteger DENIED = new AtomicInteger();
    static final AtomicBoolean BROKEN = new AtomicBoolean();
    /** Whether each kind of method runs on an event loop. */
    static final Map<String, Boolean> ON_EVENT_LOOP = new ConcurrentHashMap<>();

    @Scheduled(every = "1s", identity = "limited")
    @RateLimited("runs")
    void run() {
        ON_EVENT_LOOP.put("plain", Context.isOnEventLoopThread());
        RUNS.incrementAndGet();
    }

    @Scheduled(every = "1s", identity = "limited-uni")
    @RateLimited("runs")
    Uni<Void> runAsynchronously() {
        ON_EVENT_LOOP.put("uni", Context.isOnEventLoopThread());
        ASYNCHRONOUS_RUNS.incrementAndGet();
        return Uni.createFrom().voidItem();
    }

    @Scheduled(every = "1s", identity = "limited-stage")
    @RateLimited("runs")
    CompletionStage<Void> runInStages() {
        ON_EVENT_LOOP.put("stage", Context.isOnEventLoopThread());
        STAGED_RUNS.incrementAndGet();
        return CompletableFuture.completedFuture(null);
    }

    @Scheduled(every = "1s", identity = "limited-non-blocking")
    @NonBlocking
    @RateLimited("runs")
    void runWithoutBlocking() {
        ON_EVENT_LOOP.put("non-blocking", Context.isOnEventLoopThread());
        NON_BLOCKING_RUNS.incrementAndGet();
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
