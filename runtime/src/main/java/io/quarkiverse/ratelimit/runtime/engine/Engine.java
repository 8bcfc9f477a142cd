package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.engine.CallResolver.Resolved;
import io.quarkiverse.ratelimit.runtime.engine.ObserverChain.CallObservers;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.CallIds;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;

/** Decides whether calls go ahead: resolves the caller, sends a request to Redis or falls back, and delays calls. */
public final class Engine {

    private final CallResolver resolver;
    private final Decider decider;
    private final DelayedCalls delayed;
    private final WaitingCalls waiting;
    private final ObserverChain observers;
    private final CallIds ids;
    private final Duration timeout;
    private final Source source;

    /**
     * @param timeout of a decision
     * @param source where calls are counted
     */
    public Engine(CallResolver resolver, Decider decider, DelayedCalls delayed, WaitQueues queues, ObserverChain observers,
            CallIds ids,
            Duration timeout, Source source) {
        this.source = source;
        this.resolver = resolver;
        this.decider = decider;
        this.delayed = delayed;
        this.waiting = new WaitingCalls(delayed, queues, ids, timeout);
        this.observers = observers;
        this.ids = ids;
        this.timeout = timeout;
    }

    /**
     * Decides a call of a limited method or a request of a route once, without blocking; never fails. The outcome
     * arrives when the call may go ahead or is denied, perhaps on an event loop that is not the caller's. The
     * lease of the outcome must be released when the call ends.
     *
     * @param keyArguments the arguments of the call that belong to the key
     */
    public Uni<Outcome> decide(CallRules rules, Caller caller, Object[] keyArguments) {
        return PlainUni.deferred(() -> {
            CallObservers notified = observers.ofThisCall();
            CallDetails call = new CallDetails(caller, rules.method(), keyArguments);
            Deadline deadline = Deadline.in(timeout);
            return rules.usesBeans()
                    ? resolver.withBeans(rules, call)
                            .chain(known -> decide(resolver.of(rules, known.details(), known.plans()), deadline, notified))
                    : decide(resolver.of(rules, call, Map.of()), deadline, notified);
        });
    }

    private Uni<Outcome> decide(Resolved resolved, Deadline deadline, CallObservers notified) {
        return ObserverChain.notifying(decide(resolved, deadline), notified, resolved.exempt());
    }

    private Uni<Outcome> decide(Resolved resolved, Deadline deadline) {
        if (resolved.denying() != null) {
            return Uni.createFrom().item(new Outcome(List.of(UncountedDecision.withoutCaller(resolved.denying(), source))));
        }
        StoreRequest request = resolved.request();
        return request.isEmpty() ? Uni.createFrom().item(Outcome.NOT_LIMITED) : decide(request, deadline);
    }

    private Uni<Outcome> decide(StoreRequest request, Deadline deadline) {
        return request.needsRefundOnCancel() ? delayed.decideOrRefund(request, false, deadline)
                : decider.decide(request, deadline);
    }

    /** Decides a call from code by the limits of the charge. */
    public Uni<Outcome> decide(Charge charge, String caller) {
        return ObserverChain.notifying(decideQuietly(charge, caller), observers.ofThisCall(), List.of());
    }

    /** Decides without notifying observers, for an operation that is not a call of its own, such as a peek. */
    public Uni<Outcome> decideQuietly(Charge charge, String caller) {
        return PlainUni.deferred(() -> decide(request(charge, caller), Deadline.in(timeout)));
    }

    private StoreRequest request(Charge charge, String caller) {
        long id = ids.next();
        return new StoreRequest(List.of(charge.request(caller, id)), id);
    }

    /** Whether a call may be delayed. */
    public boolean mayWait(CallRules rules) {
        return resolver.mayWait(rules);
    }

    /** Notifies observers that a policy does not limit the caller of a call from code. */
    public void exempt(Policy policy) {
        CallObservers notified = observers.ofThisCall();
        if (notified != null) {
            notified.decided(Outcome.NOT_LIMITED, List.of(policy));
        }
    }

    /**
     * Decides a call from code that may wait. The call waits in a queue where the policy cannot acquire permits ahead
     * of time.
     *
     * @param charge returns a charge by the limits in force; called for each attempt
     */
    public Uni<Outcome> decide(Supplier<Charge> charge, String caller, Duration maxWait) {
        return ObserverChain.notifying(waiting.decide(charge, caller, maxWait), observers.ofThisCall(), List.of());
    }
}
