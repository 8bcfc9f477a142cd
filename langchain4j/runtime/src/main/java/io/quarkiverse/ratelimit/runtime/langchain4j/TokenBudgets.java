package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.Executor;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.langchain4j.runtime.aiservice.ChatEvent;
import io.quarkiverse.ratelimit.runtime.engine.EstimatedCalls;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.security.spi.runtime.SecurityHandlerConstants;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * Reserves an estimate of tokens, or of their price, before a call of an AI service, and settles it with what the call has used
 * when it ends: returned, failed, completed or canceled.
 */
@ApplicationScoped
public class TokenBudgets {

    private final BudgetedMethods methods;
    private final EstimatedCalls calls;
    private final TokenUsageListener usage;

    TokenBudgets(BudgetedMethods methods, EstimatedCalls calls, TokenUsageListener usage) {
        this.methods = methods;
        this.calls = calls;
        this.usage = usage;
    }

    Object call(InvocationContext call) throws Exception {
        BudgetedMethod method = methods.budgeted(call);
        if (method.rules().areEmpty()) {
            return call.proceed();
        }
        if (method.method().streaming()) {
            return Multi.createFrom().deferred(() -> stream(call, begin(method, call.getParameters())));
        }
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new IllegalStateException("@RateLimited on " + method.rules().method()
                    + " must wait for its decision, which is"
                    + " not possible on an event loop. Call it from a worker or virtual thread (@Blocking, @RunOnVirtualThread)"
                    + " or let it return a Multi.");
        }
        TokenCall tokens = begin(method, call.getParameters());
        boolean failed = true;
        try {
            tokens.limited().awaitReservation();
            Object result = tokens.run(call::proceed);
            failed = false;
            return result;
        } finally {
            tokens.limited().awaitSettlement(tokens.end(failed));
            tokens.requirePrice();
        }
    }

    private TokenCall begin(BudgetedMethod method, Object[] arguments) {
        long promptTokens = method.promptTokens(arguments);
        return new TokenCall(method, promptTokens, calls.begin(method.rules(arguments, promptTokens)));
    }

    private Multi<Object> stream(InvocationContext call, TokenCall tokens) {
        return tokens.limited().reserve()
                .chain(reserved -> Uni.createFrom().voidItem().emitOn(workers()))
                .onItem().transformToMulti(ignored -> proceed(call, tokens))
                .onItem().invoke(item -> produced(tokens, item))
                .onTermination().call((failure, canceled) -> end(tokens, failure != null));
    }

    /** Returns threads that may block, because a streaming AI service leaves any other thread by itself. */
    private static Executor workers() {
        Context context = Vertx.currentContext();
        return BlockingOperationControl.isBlockingAllowed() ? Runnable::run
                : context == null ? Infrastructure.getDefaultExecutor() : task -> context.executeBlocking(() -> {
                    task.run();
                    return null;
                }, false);
    }

    @SuppressWarnings("unchecked")
    private static Multi<Object> proceed(InvocationContext call, TokenCall tokens) {
        try {
            return EstimatedCalls.subscribedIn(subscription -> ModelRequests.begin(tokens, subscription),
                    tokens.run(() -> (Multi<Object>) call.proceed()));
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }

    private static void produced(TokenCall tokens, Object item) {
        if (item instanceof String text) {
            tokens.produced(text);
        } else if (item instanceof ChatEvent.PartialResponseEvent part) {
            tokens.produced(part.getChunk());
        }
    }

    private Uni<Void> end(TokenCall tokens, boolean failed) {
        Uni<Void> settled = tokens.limited().settle(tokens.end(failed));
        // afterwards, as no stream of an ended call is remembered
        usage.ended(tokens);
        return settled.invoke(tokens::requirePrice);
    }

    /** Binds the interceptor to limited methods of AI services; the build finds these methods. */
    @InterceptorBinding
    @Target({ ElementType.METHOD, ElementType.TYPE })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface BudgetedCall {
    }

    /** Runs after Quarkus' security checks, so that a forbidden call costs nothing. */
    @Interceptor
    @BudgetedCall
    @Priority(SecurityHandlerConstants.SECURITY_INTERCEPTOR_PRIORITY + 1)
    public static class TokenBudgetInterceptor {

        private final TokenBudgets budgets;

        TokenBudgetInterceptor(TokenBudgets budgets) {
            this.budgets = budgets;
        }

        @AroundInvoke
        Object call(InvocationContext call) throws Exception {
            return budgets.call(call);
        }
    }
}
