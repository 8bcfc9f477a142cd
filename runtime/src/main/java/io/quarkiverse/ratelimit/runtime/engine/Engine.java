package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.engine.CallResolver.Resolved;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Decides calls of limited methods and requests of routes: resolves the caller, sends a request to Redis or falls back, and
 * delays calls.
 */
public final class Engine {

    private final CallResolver resolver;
    private final Decider decider;
    private final DelayedCalls delayed;
    private final Observers observers;
    private final Duration timeout;
    private final Source source;

    /**
     * @param timeout of a decision
     * @param source where calls are counted
     */
    public Engine(CallResolver resolver, Decider decider, DelayedCalls delayed, Observers observers, Duration timeout,
            Source source) {
        this.source = source;
        this.resolver = resolver;
        this.decider = decider;
        this.delayed = delayed;
        this.observers = observers;
        this.timeout = timeout;
    }

    /**
     * Decides a call of a limited method or a request of a route, without blocking. The outcome arrives when the call may go
     * ahead or is denied, perhaps on an event loop that is not the caller's. The lease of the outcome must be released when
     * the call ends. The deadline begins now, so each call needs its own {@code Uni}.
     *
     * @param keyArguments the arguments of the call that belong to the key
     */
    public Uni<Outcome> decide(CallRules rules, Caller caller, Object[] keyArguments) {
        Observers ofCall = observers.ofThisCall();
        CallDetails call = new CallDetails(caller, rules.method().id(), keyArguments);
        Deadline deadline = Deadline.in(timeout);
        return rules.usesBeans()
                ? resolver.withBeans(rules, call)
                        .chain(known -> decide(resolver.of(rules, known.details(), known.plans()), deadline, ofCall))
                : decide(resolver.of(rules, call, Map.of()), deadline, ofCall);
    }

    private Uni<Outcome> decide(Resolved resolved, Deadline deadline, Observers ofCall) {
        if (resolved.denying() != null) {
            Outcome denied = new Outcome(List.of(UncountedDecision.withoutCaller(resolved.denying(), source)));
            return ofCall.notifying(PlainUni.item(denied), resolved.exempt());
        }
        if (resolved.counted().isEmpty()) {
            return ofCall.notifying(PlainUni.item(Outcome.NOT_LIMITED), resolved.exempt());
        }
        return decide(resolved.counted(), deadline, ofCall, resolved.exempt());
    }

    /**
     * Decides a call. {@link DelayedCalls} decides it if it may be delayed, or if it needs a refund when it is canceled.
     *
     * @param exempt the other policies, which do not limit the caller
     */
    Uni<Outcome> decide(Call call, Deadline deadline, Observers ofCall, List<Policy> exempt) {
        if (call.needsRefundOnCancel()) {
            return ofCall.notifying(delayed.decideOrRefund(call, deadline), exempt);
        }
        return decider.decide(call, deadline, outcome -> ofCall.decided(outcome, exempt));
    }

    /** Whether a call may be delayed. */
    public boolean mayDelay(CallRules rules) {
        return resolver.mayDelay(rules);
    }
}
