package io.quarkiverse.ratelimit.runtime.entry.eventbus;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import jakarta.enterprise.invoke.Invoker;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.entry.denial.Denial;
import io.quarkus.runtime.annotations.Recorder;
import io.smallrye.common.vertx.ContextLocals;
import io.smallrye.common.vertx.VertxContext;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;

/** Fails the replies to messages that a limit denies, with the status as their code. Drops denied messages without a reply. */
@Recorder
public class DeniedMessages {

    private static final String MESSAGE = DeniedMessages.class.getName();

    /** Keeps each message in its context, because Quarkus passes only headers and body to a consumer with two parameters. */
    public void keepMessages(Supplier<Vertx> vertx) {
        vertx.get().eventBus().addInboundInterceptor(delivery -> {
            // the context of a reply may be shared
            if (VertxContext.isOnDuplicatedContext()) {
                ContextLocals.put(MESSAGE, delivery.message());
            }
            delivery.next();
        });
    }

    private static Message<?> keptMessage() {
        return VertxContext.isOnDuplicatedContext() ? ContextLocals.get(MESSAGE, null) : null;
    }

    /** Calls a consumer. Quarkus calls this method instead. */
    public static Object consume(Object bean, Object[] arguments, Invoker<Object, Object> consumer) throws Exception {
        Message<?> message = arguments[0] instanceof Message<?> only ? only : keptMessage();
        try {
            Object result = consumer.invoke(bean, arguments);
            return message != null && result instanceof CompletionStage<?> stage ? replied(stage, message) : result;
        } catch (Exception failure) {
            if (message != null && failReply(message, failure)) {
                return null;
            }
            throw failure;
        }
    }

    private static CompletionStage<Object> replied(CompletionStage<?> stage, Message<?> message) {
        CompletableFuture<Object> result = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure == null || failReply(message, failure)) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    /** Fails the reply to a denied message. Returns {@code false} if Quarkus has to handle the failure. */
    private static boolean failReply(Message<?> message, Throwable failure) {
        RateLimitException exception = Denial.in(failure);
        boolean replies = message.replyAddress() != null;
        if (exception == null || !replies && exception instanceof RateLimitUnavailableException) {
            return false;
        }
        if (replies) {
            Denial denial = Denial.of(exception);
            message.fail(denial.reason().httpStatus, denial.detail());
        }
        return true;
    }
}
