package io.quarkiverse.ratelimit.runtime.ai;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.interceptor.InvocationContext;

import org.jboss.logging.Logger;

import io.quarkiverse.langchain4j.runtime.aiservice.ChatEvent;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.ai.BudgetedMethods.Budgeted;
import io.quarkiverse.ratelimit.runtime.engine.Await;
import io.quarkiverse.ratelimit.runtime.engine.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.CostSettlement;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.Decision;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Refunds;
import io.quarkiverse.ratelimit.runtime.engine.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.TokenObserver;
import io.quarkus.runtime.BlockingOperationControl;
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

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final BudgetedMethods methods;
    private final Engine engine;
    private final Refunds refunds;
    private final CostSettlement settlement;
    private final RequestLookup requests;
    private final TokenUsageListener usage;
    private final List<TokenObserver> observers;

    TokenBudgets(BudgetedMethods methods, Engine engine, Refunds refunds, CostSettlement settlement,
            Instance<RequestLookup> requests,
            TokenUsageListener usage, @Any Instance<TokenObserver> observers) {
        this.methods = methods;
        this.engine = engine;
        this.refunds = refunds;
        this.settlement = settlement;
        this.requests = requests.isResolvable() ? requests.get() : () -> CurrentRequest.NONE;
        this.usage = usage;
        this.observers = observers.stream().toList();
    }

    Object call(InvocationContext call) throws Exception {
        Budgeted method = methods.of(call);
        long promptTokens = method.promptTokens(call.getParameters());
        CallRules rules = method.rules(call.getParameters(), promptTokens);
        if (rules.isEmpty()) {
            return call.proceed();
        }
        Object[] keys = rules.keyArguments(call.getParameters());
        if (call.getMethod().getReturnType() == Multi.class) {
            return Multi.createFrom().deferred(() -> stream(call, rules, keys, new TokenCall(true, promptTokens)));
        }
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new IllegalStateException("@RateLimited on " + rules.method() + " must wait for its decision, which is not"
                    + " possible on an event loop. Call it from a worker or virtual thread (@Blocking, @RunOnVirtualThread)"
                    + " or let it return a Multi.");
        }
        CurrentRequest request = requests.current();
        TokenCall tokens = new TokenCall(false, promptTokens);
        boolean failed = true;
        try {
            Await.interruptibly(reserve(rules, keys, request, tokens));
            Object result = tokens.run(call::proceed);
            failed = false;
            return result;
        } finally {
            Outcome left = Await.result(end(tokens, failed));
            request.decided(left, null);
        }
    }

    private Multi<Object> stream(InvocationContext call, CallRules rules, Object[] keys, TokenCall tokens) {
        CurrentRequest request = requests.current();
        return CallerContext.keep(reserve(rules, keys, request, tokens))
                .invoke(reserved -> request.decided(reserved, null))
                .chain(reserved -> Uni.createFrom().item(reserved).emitOn(workers()))
                .onItem().transformToMulti(ignored -> proceed(call, tokens))
                .onItem().invoke(item -> produced(tokens, item))
                .onTermination().call((failure, canceled) -> end(tokens, failure != null));
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
            return tokens.run(() -> (Multi<Object>) call.proceed());
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

    /** Reserves the estimate, also when the subscriber cancels; then what it has reserved is refunded. */
    private Uni<Outcome> reserve(CallRules rules, Object[] keys, CurrentRequest request, TokenCall tokens) {
        Uni<Outcome> reserved = request.caller(rules.needsIdentity()).chain(caller -> engine.decide(rules, caller, keys))
                .invoke(outcome -> {
                    RateLimitException denial = outcome.denial();
                    if (denial != null) {
                        throw denial;
                    }
                    outcome.lease().hold();
                    if (!tokens.reserved(outcome)) {
                        refund(outcome);
                    }
                }).memoize().indefinitely();
        reserved.subscribe().with(ignored -> {
        }, ignored -> {
        });
        return reserved;
    }

    private void refund(Outcome outcome) {
        outcome.lease().release();
        for (Decision decision : all(outcome)) {
            refunds.refund(decision, decision.granted()).subscribe().with(ignored -> {
            });
        }
    }

    /** Settles what the call has reserved, once. Returns the states of the limits afterwards. Never fails. */
    private Uni<Outcome> end(TokenCall tokens, boolean failed) {
        usage.ended(tokens);
        Outcome reserved = tokens.end();
        if (reserved == null) {
            return Uni.createFrom().item(Outcome.NOT_LIMITED);
        }
        long used = tokens.used(failed);
        List<Uni<Outcome>> settled = new ArrayList<>();
        settled.add(reserved.lease().release().replaceWith(Outcome.NOT_LIMITED));
        for (Decision decision : all(reserved)) {
            if (!decision.limits().isEmpty()) {
                settled.add(settle(decision, used));
            }
        }
        return Uni.join().all(settled).andFailFast().map(TokenBudgets::joined).onFailure().recoverWithItem(failure -> {
            LOG.debugf("Tokens were not settled: %s", failure.getMessage());
            return Outcome.NOT_LIMITED;
        });
    }

    private Uni<Outcome> settle(Decision decision, long used) {
        for (TokenObserver observer : observers) {
            observer.settled(decision.policy(), decision.granted(), used);
        }
        return settlement.settle(decision, used)
                .chain(() -> settlement.peek(decision));
    }

    private static Outcome joined(List<Outcome> outcomes) {
        return new Outcome(outcomes.stream().flatMap(outcome -> outcome.decisions().stream()).toList());
    }

    private static List<Decision> all(Outcome outcome) {
        List<Decision> all = new ArrayList<>(outcome.decisions());
        all.addAll(outcome.shadows());
        return all;
    }
}
