package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.RetryAfter;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/** Passes requests to a store. Counts them, delays their replies, or loses them. */
public final class UnreliableStore implements LimitStore {

    private final LimitStore store;
    private final AtomicInteger requests = new AtomicInteger();
    private final Predicate<StoreRequest> losesReply;
    private volatile CompletableFuture<Void> delay = CompletableFuture.completedFuture(null);

    public UnreliableStore(LimitStore store) {
        this(store, request -> false);
    }

    /** @param losesReply whether the reply to a request is lost */
    public UnreliableStore(LimitStore store, Predicate<StoreRequest> losesReply) {
        this.store = store;
        this.losesReply = losesReply;
    }

    /** A policy with one limit whose permits instances acquire ahead. */
    public static Policy prefetching(String name, Mode mode, PolicyLimit limit, long permits, Duration time) {
        return new Policy(name, List.of(limit), null, MissingKey.IP, List.of(), OnRedisFailure.LOCAL, mode, true,
                PlanTable.NONE,
                Exemptions.NONE, Statuses.ALL, Duration.ZERO, null, new Prefetch(permits, time), RetryAfter.EARLIEST,
                Duration.ZERO);
    }

    public int requests() {
        return requests.get();
    }

    /** Delays all replies until {@link #reply()}. */
    public void delay() {
        delay = new CompletableFuture<>();
    }

    public void reply() {
        delay.complete(null);
    }

    /** Fails delayed requests and all later ones. */
    public void fail() {
        if (!delay.completeExceptionally(new IllegalStateException("unavailable"))) {
            delay = CompletableFuture.failedFuture(new IllegalStateException("unavailable"));
        }
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
        return decide(request);
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request) {
        return Uni.createFrom().deferred(() -> {
            requests.incrementAndGet();
            CompletableFuture<Void> until = delay;
            if (until.isCompletedExceptionally()) {
                return Uni.createFrom().failure(new IllegalStateException("unavailable"));
            }
            Uni<StoreReply> reply = store.decide(request);
            if (losesReply.test(request)) {
                return reply.chain(lost -> Uni.createFrom().failure(new IllegalStateException("lost")));
            }
            return until.isDone() ? reply : Uni.createFrom().completionStage(until).chain(() -> reply);
        });
    }
}
