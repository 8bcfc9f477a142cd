package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.Executor;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.langchain4j.runtime.aiservice.ChatEvent;
import io.quarkiverse.ratelimit.runtime.engine.Await;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.langchain4j.BudgetedMethods.Budgeted;
import io.quarkiverse.ratelimit.runtime.mutiny.Scoped;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.security.spi.runtime.SecurityHandlerConstants;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * Reserves an estimate of tokens before a call of an AI service, and settles it with the tokens that the call has used when
 * it ends: returned, failed, completed or canceled.
 */
@ApplicationScoped
public class TokenBudgets {

    private final BudgetedMethods methods;
    private final TokenReservations reservations;
    private final RequestLookup requests;
    private final TokenUsageListener usage;

    TokenBudgets(BudgetedMethods methods, TokenReservations reservations, Instance<RequestLookup> requests,
            TokenUsageListener usage) {
        this.methods = methods;
        this.reservations = reservations;
        this.requests = RequestLookup.of(requests);
        this.usage = usage;
    }

    Object call(InvocationContext call) throws Exception {
        Budgeted method = methods.of(call);
        long promptTokens = method.promptTokens(call.getParameters());
        CallRules rules = method.rules(call.getParameters(), promptTokens);
        if (rules.charges().isEmpty()) {
            return call.proceed();
        }
        Object[] keys = rules.keyArguments(call.getParameters());
        if (call.getMethod().getReturnType() == Multi.class) {
            return Multi.createFrom().deferred(() -> stream(call, rules, keys, new TokenCall(true, promptTokens)));
        }
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new IllegalStateException("@RateLimited on " + rules.method().id() + " must wait for its decision, which is"
                    + " not possible on an event loop. Call it from a worker or virtual thread (@Blocking, @RunOnVirtualThread)"
                    + " or let it return a Multi.");
        }
        CurrentRequest request = requests.current();
        TokenCall tokens = new TokenCall(false, promptTokens);
        boolean failed = true;
        try {
            Await.interruptibly(reservations.reserve(rules, keys, request, tokens));
            Object result = tokens.run(call::proceed);
            failed = false;
            return result;
        } finally {
            show(request, end(tokens, failed));
        }
    }

    private Multi<Object> stream(InvocationContext call, CallRules rules, Object[] keys, TokenCall tokens) {
        CurrentRequest request = requests.current();
        return CallerContext.keep(reservations.reserve(rules, keys, request, tokens))
                .invoke(reserved -> request.apply(toSettle(reserved), null))
                .chain(reserved -> Uni.createFrom().item(reserved).emitOn(workers()))
                .onItem().transformToMulti(ignored -> proceed(call, tokens))
                .onItem().invoke(item -> produced(tokens, item))
                .onTermination().call((failure, canceled) -> end(tokens, failure != null));
    }

    /** Without permits to refund: what the model uses stays charged, whatever the status of the response. */
    private static Outcome toSettle(Outcome reserved) {
        return new Outcome(reserved.decisions().stream().map(decision -> decision.withGranted(0)).toList());
    }

    /** An AI service that streams must begin where it may block; otherwise it would choose another thread itself. */
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
            return Scoped.multi(tokens.run(() -> (Multi<Object>) call.proceed()),
                    subscription -> ModelRequests.begin(tokens, subscription));
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

    private Uni<Outcome> end(TokenCall tokens, boolean failed) {
        Uni<Outcome> left = reservations.end(tokens, failed);
        // afterwards, as no stream of an ended call is remembered
        usage.ended(tokens);
        return left;
    }

    /** Waits for the states of the limits. If this thread is interrupted, the settlement goes on without it. */
    private static void show(CurrentRequest request, Uni<Outcome> left) throws Exception {
        try {
            request.apply(Await.interruptibly(left), null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
