package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.vertx.ConsumeEvent;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.mutiny.Uni;
import io.vertx.core.eventbus.Message;
import io.vertx.mutiny.core.MultiMap;

/** Consumers of the event bus. */
@ApplicationScoped
public class Mailbox {

    static final List<String> SEEN = new CopyOnWriteArrayList<>();

    private final RateLimiter limiter;

    Mailbox(@RateLimitPolicy("mails") RateLimiter limiter) {
        this.limiter = limiter;
    }

    @ConsumeEvent("plain")
    @RateLimited("mails")
    String plain(String text) {
        return text + (BlockingOperationControl.isBlockingAllowed() ? " on a worker" : " on an event loop");
    }

    @ConsumeEvent("uni")
    @RateLimited("mails")
    Uni<String> uni(String text) {
        return Uni.createFrom().item(text);
    }

    @ConsumeEvent("stage")
    @RateLimited("mails")
    CompletionStage<String> stage(String text) {
        return CompletableFuture.completedStage(text);
    }

    @ConsumeEvent("message")
    @RateLimited("mails")
    void message(Message<String> message) {
        message.reply(message.body());
    }

    @ConsumeEvent(value = "code", blocking = true)
    String code(String text) {
        limiter.forKey("code").acquireOrThrow();
        return text;
    }

    @ConsumeEvent("dropped")
    @RateLimited("mails")
    void dropped(String text) {
        SEEN.add(text);
    }

    @ConsumeEvent("dropped-uni")
    @RateLimited("mails")
    Uni<Void> droppedUni(String text) {
        SEEN.add(text);
        return Uni.createFrom().voidItem();
    }

    @ConsumeEvent("headers")
    @RateLimited("mails")
    String headers(MultiMap headers, String text) {
        return text;
    }

    @ConsumeEvent("headers-uni")
    @RateLimited("mails")
    Uni<String> headersUni(MultiMap headers, String text) {
        return Uni.createFrom().item(text);
    }

    @ConsumeEvent("headers-virtual")
    @RunOnVirtualThread
    @RateLimited("mails")
    String headersVirtual(MultiMap headers, String text) {
        return text;
    }

    @ConsumeEvent("dropped-headers")
    @RateLimited("mails")
    void droppedHeaders(MultiMap headers, String text) {
        SEEN.add(text);
    }

    @ConsumeEvent("broken")
    @RateLimited("mails")
    Uni<String> broken(String text) {
        return Uni.createFrom().failure(new IllegalStateException("broken"));
    }
}
