package io.quarkiverse.ratelimit.runtime.api;

import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * The caller whose key code has passed.
 *
 * @param passed {@code null} until code passes a key to a policy that needs one
 */
record PassedCaller(PolicyOperations operations, PassedKey passed) implements CountedCaller {

    @Override
    public boolean needsContexts() {
        return !operations.policy().plans().isEmpty();
    }

    @Override
    public Uni<String> key() {
        return Uni.createFrom().item(required().stored());
    }

    @Override
    public <T> Uni<T> resolve(Function<Resolved, Uni<T>> decision) {
        PassedKey key = required();
        Policy policy = operations.policy();
        if (policy.plans().isEmpty()) {
            return decision.apply(resolved(key, null, operations.parts().calls().deadline()));
        }
        return operations.parts().requests().current().callerFor(policy.plans()).chain(caller -> {
            Deadline deadline = operations.parts().calls().deadline();
            return operations.parts().limits().plan(policy, caller, key)
                    .chain(plan -> decision.apply(resolved(key, plan, deadline)));
        });
    }

    private Resolved resolved(PassedKey key, Plan plan, Deadline deadline) {
        return new Resolved(key.stored(), operations.policy().exempts(key), plan, deadline);
    }

    private PassedKey required() {
        return operations.keys().required(passed);
    }
}
