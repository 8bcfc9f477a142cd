package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Decides calls of limited methods and requests of routes: resolves the caller, sends a request to Redis or falls back, and
 * delays calls.
 */
public final class Engine {

    private final CallResolver resolver;
    private final LimitsInForce limits;
    private final Decider decider;
    private final DelayedCalls delayed;
    private final Observers observers;
    private final Duration timeout;
    private final Source source;

    /**
     * @param timeout of a decision
     * @param source where calls are counted
     */
    public Engine(CallResolver resolver, LimitsInForce limits, Decider decider, DelayedCalls delayed, Observers observers,
            Duration timeout, Source source) {
        this.resolver = resolver;
        this.limits = limits;
        this.decider = decider;
        this.delayed = delayed;
        this.observers = observers;
        this.timeout = timeout;
        this.source = source;
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
        CallDetails details = new CallDetails(caller, rules.method().id(), keyArguments);
        Deadline deadline = Deadline.in(timeout);
        return rules.usesBeans()
                ? limits.callBeans(rules, details)
                        .chain(known -> decide(resolver.resolve(rules, known.details(), known.plans()), deadline, ofCall))
                : decide(resolver.resolve(rules, details, Map.of()), deadline, ofCall);
    }

    private Uni<Outcome> decide(Call call, Deadline deadline, Observers ofCall) {
        if (call.parts().isEmpty()) {
            return ofCall.notifying(PlainUni.item(uncounted(call)), call.exempt());
        }
        return call.isPlain() ? decidePlain(call, deadline, ofCall)
                : PlainUni.map(decideRefundable(call, deadline, ofCall), Outcome::afterDelay);
    }

    private Uni<Outcome> decidePlain(Call call, Deadline deadline, Observers ofCall) {
        return decider.decide(call, deadline, outcome -> ofCall.decided(outcome, call.exempt()));
    }

    /** Decides a call that may be delayed, or that needs a refund when it is canceled. */
    private Uni<Outcome> decideRefundable(Call call, Deadline deadline, Observers ofCall) {
        return ofCall.notifying(delayed.decideOrRefund(call, deadline), call.exempt());
    }

    /** The outcome of a call that no limit counts: allowed, or denied by a policy whose key is missing. */
    Outcome uncounted(Call call) {
        return call.denyingPolicy() == null ? Outcome.NOT_LIMITED
                : new Outcome(List.of(UncountedDecision.withoutCaller(call.denyingPolicy(), source)));
    }

    /** Decides a call of code. The states of its limits are those before its delay, if any. */
    Uni<Outcome> decideOfCode(Call call, Deadline deadline, Observers ofCall) {
        return call.isPlain() ? decidePlain(call, deadline, ofCall) : decideRefundable(call, deadline, ofCall);
    }

    /** Whether a call may be delayed. */
    public boolean mayDelay(CallRules rules) {
        return resolver.mayDelay(rules);
    }
}
