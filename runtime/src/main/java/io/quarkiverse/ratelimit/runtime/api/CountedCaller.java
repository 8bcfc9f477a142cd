package io.quarkiverse.ratelimit.runtime.api;

import java.util.Map;
import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/** The caller of one operation of a limiter. */
interface CountedCaller {

    /** Finds the stored form of its key; {@code null} where it has none. */
    Uni<String> key();

    /** Finds out what a decision needs, and decides. The deadline includes resolver beans, but not the authentication. */
    <T> Uni<T> resolve(Function<Resolved, Uni<T>> decision);

    /** Whether {@link #resolve} needs the contexts of the call. */
    boolean needsContexts();

    /**
     * What a decision needs.
     *
     * @param key its stored form; {@code null} where a part is missing and the policy has no substitute
     * @param exempt whether the policy does not limit the caller, whatever its plan is
     * @param plan {@code null} for none
     */
    record Resolved(String key, boolean exempt, Plan plan, Deadline deadline) {
    }

    /**
     * The caller whose key code has passed.
     *
     * @param passed {@code null} until code passes a key to a policy that needs one
     */
    record Passed(PolicyOperations operations, PassedKey passed) implements CountedCaller {

        @Override
        public boolean needsContexts() {
            return !operations.policy.plans().isEmpty();
        }

        @Override
        public Uni<String> key() {
            return Uni.createFrom().item(operations.keys.required(passed).stored());
        }

        @Override
        public <T> Uni<T> resolve(Function<Resolved, Uni<T>> decision) {
            PassedKey key = operations.keys.required(passed);
            Policy policy = operations.policy;
            boolean exempt = policy.exempts(key);
            if (policy.plans().isEmpty()) {
                return decision.apply(new Resolved(key.stored(), exempt, null, operations.parts.calls().deadline()));
            }
            return operations.parts.requests().current().callerFor(policy.plans()).chain(caller -> {
                Deadline deadline = operations.parts.calls().deadline();
                return operations.parts.calls().engine().resolvers().plan(policy, caller, key)
                        .chain(plan -> decision.apply(new Resolved(key.stored(), exempt, plan, deadline)));
            });
        }
    }

    /** The caller of the request that is being served, as limited methods find it. */
    record Current(PolicyOperations operations, CurrentRequest request) implements CountedCaller {

        Current(PolicyOperations operations) {
            this(operations, operations.parts.requests().current());
        }

        /** @throws IllegalStateException when no request is being served */
        CurrentRequest required() {
            if (!(request.caller() instanceof HttpCaller)) {
                throw new IllegalStateException("forCaller() of the limiter " + operations.policy.name()
                        + " found no HTTP request and no WebSocket message that this thread serves. Call it while one is"
                        + " served, on a thread with its context. Elsewhere, such as in a scheduled method, pass the caller"
                        + " to forKey(...).");
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
            Policy policy = operations.policy;
            return required().callerFor(operations.rules).chain(caller -> {
                Deadline deadline = operations.parts.calls().deadline();
                CallDetails details = new CallDetails(caller, null, CallParameters.NO_ARGUMENTS, Map.of());
                return operations.parts.calls().engine().resolvers().results(operations.rules, details)
                        .chain(call -> decision.apply(new Resolved(policy.keyOf(call.details()), policy.exempts(call.details()),
                                call.plans().getOrDefault(policy.name(), policy.plans().planOf(caller)), deadline)));
            });
        }
    }
}
