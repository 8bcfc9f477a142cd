package io.quarkiverse.ratelimit.runtime.redis;

import static io.quarkiverse.ratelimit.runtime.store.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.StoreRequests.requestOf;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** Sends requests of one caller of one policy to a store, and measures the time. */
final class Caller {

    private final RedisStore store;
    final StoreRequest request;

    /** A caller with this number of permits, which come back within a year. */
    Caller(RedisStore store, String name, long permits) {
        this(store, name, policy("plenty", Limit.tokenBucket(permits).refill(permits, Duration.ofDays(365))));
    }

    Caller(RedisStore store, String name, Policy... policies) {
        this(store, requestOf(name, 1, policies));
    }

    Caller(RedisStore store, StoreRequest request) {
        this.store = store;
        this.request = request;
    }

    CompletableFuture<StoreReply> decide() {
        return store.decide(request).subscribeAsCompletionStage();
    }

    /** Whether Redis decides, and allows. */
    boolean isAllowed() {
        return isAllowed(decide());
    }

    boolean isAllowed(CompletableFuture<StoreReply> reply) {
        try {
            return request.allowedBy(reply.get(10, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** Why Redis does not decide, or {@code null} when it does. */
    Throwable failure() {
        return decide().handle((reply, failure) -> failure).orTimeout(10, TimeUnit.SECONDS).join();
    }

    /** How long it takes until the request has failed. */
    Duration timeToFail() {
        long began = System.nanoTime();
        if (failure() == null) {
            throw new AssertionError("Redis decided");
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** Waits until Redis decides again. */
    Duration timeToWork(Duration atMost) {
        long began = System.nanoTime();
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).atMost(atMost)
                .until(() -> failure() == null);
        return Duration.ofNanos(System.nanoTime() - began);
    }
}
