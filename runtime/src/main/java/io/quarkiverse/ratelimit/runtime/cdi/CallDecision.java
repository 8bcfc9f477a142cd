package io.quarkiverse.ratelimit.runtime.cdi;

import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import jakarta.interceptor.InvocationContext;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.Await;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Decides one call, and lets it proceed if it is allowed, with the kind of result that its method has. */
record CallDecision(Engine engine, RequestLookup requests, CallRules rules, Object[] keys, InvocationContext call) {

    Object result() throws Exception {
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new IllegalStateException("@RateLimited on " + rules.method().id() + " must wait for its decision, which is"
                    + " not possible on an event loop. Call it from a worker or virtual thread (@Blocking, @RunOnVirtualThread)"
                    + " or let it return a Uni, Multi or CompletionStage.");
        }
        RunningCall running = new RunningCall(call.getTarget());
        try {
            await(lease(running));
            return running.proceed(call);
        } finally {
            running.end();
        }
    }

    private static void await(Uni<Lease> lease) throws Exception {
        try {
            Await.interruptibly(lease);
        } catch (CompletionException e) {
            throw e.getCause() instanceof ClosedChannelException clientLeft ? clientLeft : e;
        }
    }

    Multi<Object> multi() {
        return Multi.createFrom().deferred(() -> {
            RunningCall running = new RunningCall(call.getTarget());
            return allowed(running).onItem().transformToMulti(ignored -> this.<Multi<Object>> proceed(running))
                    .onTermination().invoke(running::end);
        });
    }

    Uni<Object> uni() {
        return uni(this::<Uni<Object>> proceed);
    }

    CompletionStage<Object> stage() {
        return uni(running -> Uni.createFrom().completionStage(this.<CompletionStage<Object>> proceed(running)))
                .subscribeAsCompletionStage();
    }

    private Uni<Object> uni(Function<RunningCall, Uni<? extends Object>> proceed) {
        return Uni.createFrom().deferred(() -> {
            RunningCall running = new RunningCall(call.getTarget());
            return allowed(running).chain(() -> proceed.apply(running)).onTermination().invoke(running::end);
        });
    }

    private Uni<Lease> allowed(RunningCall running) {
        return CallerContext.keep(lease(running));
    }

    /**
     * Completes when the call may go ahead, with the lease to hold while it runs. Fails with the exception for a denied
     * call.
     */
    private Uni<Lease> lease(RunningCall running) {
        return Uni.createFrom().deferred(() -> {
            CurrentRequest request = requests.current();
            return request.callerFor(rules).chain(caller -> engine.decide(rules, caller, keys))
                    .map(outcome -> running.holds(outcome, lease(outcome, request)));
        });
    }

    private Lease lease(Outcome outcome, CurrentRequest request) {
        RateLimitException denial = outcome.newDenial();
        if (rules.method().resource()) {
            if (!request.decided(outcome, denial)) {
                throw sneaky(new ClosedChannelException());
            }
        } else if (denial == null) {
            request.countByStatus(outcome);
        }
        if (denial != null) {
            throw denial;
        }
        return rules.method().resource() ? request.whileServed(outcome.lease())
                : rules.method().opensConnection() ? request.whileConnected(outcome.lease()) : outcome.lease();
    }

    @SuppressWarnings("unchecked")
    private <T> T proceed(RunningCall running) {
        try {
            return (T) running.proceed(call);
        } catch (Exception e) {
            throw sneaky(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable e) throws E {
        throw (E) e;
    }
}
