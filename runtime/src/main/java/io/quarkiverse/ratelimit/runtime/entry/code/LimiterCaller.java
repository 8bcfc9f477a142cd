package io.quarkiverse.ratelimit.runtime.entry.code;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers.KnownCall;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/** The caller of one operation of a limiter. */
interface LimiterCaller {

    /** Finds the stored form of its key; {@code null} where it has none. */
    Uni<String> key();

    /** Finds out what a decision needs, and decides. The deadline includes resolver beans, but not the authentication. */
    <T> Uni<T> resolve(Function<Resolved, Uni<T>> decision);

    /** Returns whether {@link #resolve} needs the contexts of the call. */
    boolean needsContexts();

    /**
     * Holds what a decision needs.
     *
     * @param key its stored form; {@code null} where a part is missing and the policy has no substitute
     * @param exempt whether the policy does not limit the caller, whatever its plan is
     * @param plan {@code null} for none
     * @param overflows the same for the overflows of the policy
     */
    record Resolved(String key, boolean exempt, Plan plan, Deadline deadline, List<Resolved> overflows) {
    }

    /**
     * The caller whose key code has passed.
     *
     * @param passed {@code null} until code passes a key to a policy that needs one
     */
    record Passed(PolicyOperations operations, PassedKey passed) implements LimiterCaller {

        @Override
        public boolean needsContexts() {
            return !operations.policy.plans().isEmpty() || !operations.overflows.isEmpty();
        }

        @Override
        public Uni<String> key() {
            return Uni.createFrom().item(operations.keys.required(passed).stored());
        }

        @Override
        public <T> Uni<T> resolve(Function<Resolved, Uni<T>> decision) {
            PassedKey key = operations.keys.required(passed);
            Policy policy = operations.policy;
            if (policy.plans().isEmpty()) {
                return resolve(key, null, operations.parts.calls().deadline(), decision);
            }
            return operations.parts.requests().current().callerFor(policy.plans()).chain(caller -> {
                Deadline deadline = operations.parts.calls().deadline();
                return operations.parts.engine().resolvers().plan(policy, caller, key)
                        .chain(plan -> resolve(key, plan, deadline, decision));
            });
        }

        private <T> Uni<T> resolve(PassedKey key, Plan plan, Deadline deadline, Function<Resolved, Uni<T>> decision) {
            boolean exempt = operations.policy.exempts(key);
            return operations.overflows.isEmpty()
                    ? decision.apply(new Resolved(key.stored(), exempt, plan, deadline, List.of()))
                    : overflows(deadline)
                            .chain(all -> decision.apply(new Resolved(key.stored(), exempt, plan, deadline, all)));
        }

        /** Finds the keys and the plans of the overflows. */
        private Uni<List<Resolved>> overflows(Deadline deadline) {
            CurrentRequest request = operations.parts.requests().current();
            BeanResolvers resolvers = operations.parts.engine().resolvers();
            CallRules rules = operations.rulesOfOverflows;
            return request.callerFor(rules).chain(caller -> {
                CallDetails details = new CallDetails(caller, null, List.of(), Map.of());
                boolean isServed = caller instanceof HttpCaller;
                Uni<CallDetails> known = !isServed || rules.keyBeans().isEmpty() ? Uni.createFrom().item(details)
                        : resolvers.keyValues(rules, details);
                return known.chain(call -> Uni.join().all(operations.overflows.stream().map(overflow -> {
                    PassedKey key = overflow.keys.readAsOverflow(operations.keys.key(), passed, isServed ? call : null,
                            overflow.policy.missingKey());
                    return key == null ? Uni.createFrom().item(new Resolved(null, false, null, deadline, List.of()))
                            : resolvers.plan(overflow.policy, caller, key).map(plan -> new Resolved(key.stored(),
                                    overflow.policy.exempts(key), plan, deadline, List.of()));
                }).toList()).andFailFast());
            });
        }
    }

    /** The caller of the request that is being served, as limited methods find it. */
    record Current(PolicyOperations operations, CurrentRequest request) implements LimiterCaller {

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
            return required().callerFor(operations.rules).chain(caller -> {
                Deadline deadline = operations.parts.calls().deadline();
                CallDetails details = new CallDetails(caller, null, List.of(), Map.of());
                return operations.parts.engine().resolvers().results(operations.rules, details)
                        .chain(call -> decision.apply(resolved(operations, call, deadline, operations.overflows.stream()
                                .map(overflow -> resolved(overflow, call, deadline, List.of())).toList())));
            });
        }

        /** An overflow that counts arguments or methods has no key here. */
        private static Resolved resolved(PolicyOperations operations, KnownCall call, Deadline deadline,
                List<Resolved> overflows) {
            Policy policy = operations.policy;
            return new Resolved(operations.keys.isInRequest() ? policy.keyOf(call.details()) : null,
                    policy.exempts(call.details()),
                    call.plans().getOrDefault(policy.name(), policy.plans().planOf(call.details().caller())), deadline,
                    overflows);
        }
    }
}
