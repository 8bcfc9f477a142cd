package io.quarkiverse.ratelimit.runtime.store.redis;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Sends requests to Redis over connections that belong to one event loop. Any thread may call it. */
public interface RequestSender {

    /** Completes the request with the reply, or fails it at its deadline at the latest. */
    void send(PendingRequest pending);

    /** Connects before the first request. Completes when Redis is connected or known to be unavailable. */
    CompletionStage<Void> open();

    /** Opens all of them. Completes when each of them has completed. */
    static CompletableFuture<Void> open(Collection<? extends RequestSender> senders) {
        return CompletableFuture.allOf(senders.stream().map(sender -> sender.open().toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Returns whether there has been a connection. */
    boolean hasConnected();

    void close();
}
