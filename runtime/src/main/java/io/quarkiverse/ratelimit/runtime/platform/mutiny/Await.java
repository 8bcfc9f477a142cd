package io.quarkiverse.ratelimit.runtime.platform.mutiny;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/**
 * Blocks the current thread until a Uni completes. An interrupt of the thread cancels the Uni; Mutiny's {@code await()}
 * does not do that.
 */
public final class Await {

    private Await() {
    }

    /**
     * Keeps the interrupt status of the thread when it is interrupted.
     *
     * @throws CompletionException when the thread is interrupted, or with a checked exception of the Uni as the cause
     */
    public static <T> T result(Uni<T> uni) {
        try {
            return interruptibly(uni);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new CompletionException(e);
        }
    }

    /**
     * @throws Exception the failure of the Uni
     * @throws IllegalStateException when the current thread must not be blocked
     */
    public static <T> T interruptibly(Uni<T> uni) throws Exception {
        if (!Infrastructure.canCallerThreadBeBlocked()) {
            throw new IllegalStateException("The current thread cannot be blocked: " + Thread.currentThread().getName()
                    + ". Use ReactiveRateLimiter (limiter.reactive()) or ReactiveRateLimitAdmin, or run on a worker thread"
                    + " (@Blocking).");
        }
        CompletableFuture<T> result = uni.subscribeAsCompletionStage();
        try {
            return result.get();
        } catch (InterruptedException e) {
            result.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception failure ? failure : new CompletionException(e.getCause());
        }
    }
}
