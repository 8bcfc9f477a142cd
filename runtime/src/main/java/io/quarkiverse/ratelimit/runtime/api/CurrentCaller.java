package io.quarkiverse.ratelimit.runtime.api;

import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers.KnownCall;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.smallrye.mutiny.Uni;

/** The caller of the request that is being served, as limited methods find it. */
record CurrentCaller(PolicyOperations operations, CurrentRequest request) implements CountedCaller {

    static CurrentCaller of(PolicyOperations operations) {
        return new CurrentCaller(operations, operations.parts().requests().current());
    }

    /** @throws IllegalStateException when no request is being served */
    CurrentRequest required() {
        if (!(request.caller() instanceof HttpCaller)) {
            throw new IllegalStateException("forCaller() of the limiter " + operations.policy().name()
                    + " found no HTTP request and no WebSocket message that this thread serves. Call it while one is served, on"
                    + " a thread with its context. Elsewhere, such as in a scheduled method, pass the caller to forKey(...).");
        }
        return request;
    }

    @Override
    public boolean needsContexts() {
        return true;
    }

    @Override
    public Uni<String> key() {
        return resolve(resolved -> Uni.createFrom().item(resolved.key()));
    }

    @Override
    public <T> Uni<T> resolve(Function<Resolved, Uni<T>> decision) {
        return required().callerFor(operations.rules()).chain(caller -> {
            Deadline deadline = operations.parts().calls().deadline();
            return operations.parts().limits()
                    .callBeans(operations.rules(), new CallDetails(caller, null, CallParameters.NO_ARGUMENTS))
                    .chain(call -> decision.apply(resolved(call, deadline)));
        });
    }

    private Resolved resolved(KnownCall call, Deadline deadline) {
        Policy policy = operations.policy();
        return new Resolved(policy.keyOf(call.details()), policy.exempts(call.details()),
                call.plans().getOrDefault(policy.name(), policy.plans().planOf(call.details().caller())), deadline);
    }
}
