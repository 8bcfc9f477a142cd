package org.acme.jobs;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.Scheduled.ConcurrentExecution;
import io.smallrye.mutiny.Uni;

/** Reminds people every second, as often as the mail server allows. */
@ApplicationScoped
public class Reminders {

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger sentInTurn = new AtomicInteger();
    private final ReactiveRateLimiter limiter;

    Reminders(@RateLimitPolicy("reminders") ReactiveRateLimiter limiter) {
        this.limiter = limiter;
    }

    // tag::waiting[]
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Scheduled(every = "${reminders.every}", concurrentExecution = ConcurrentExecution.SKIP)
    Uni<Void> remindInTurn() {
        return limiter.forKey("all").tryAcquire(1, PATIENCE)
                .chain(decision -> decision.allowed() ? send(sentInTurn) : Uni.createFrom().voidItem());
    }
    // end::waiting[]

    // tag::denied[]
    @Scheduled(every = "${reminders.every}")
    @RateLimited("hourly-reminders")
    Uni<Void> remind() {
        return send(sent);
    }
    // end::denied[]

    private static Uni<Void> send(AtomicInteger count) {
        return Uni.createFrom().voidItem().invoke(count::incrementAndGet);
    }

    int sent() {
        return sent.get();
    }

    int sentInTurn() {
        return sentInTurn.get();
    }
}
