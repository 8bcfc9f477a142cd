package io.quarkiverse.ratelimit.runtime.redis;

import java.util.concurrent.CompletionStage;

import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Asks Redis over connections that belong to one event loop; may be called on any thread. */
interface Asker {

    /** Answers the question or fails it, at the latest at its deadline. */
    void ask(Pending pending);

    /** Sends a command of its own, besides all questions. */
    void send(String key, Request request, UniEmitter<? super Response> caller);

    /** Connects ahead of the first question; completes when Redis is connected or known to be away. */
    CompletionStage<Void> open();

    /** Whether it has been connected before. */
    boolean hasOpened();

    void close();
}
