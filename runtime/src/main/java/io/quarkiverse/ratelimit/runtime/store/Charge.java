package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Holds a policy and what a call asks of it, prepared ahead. */
public final class Charge {

    private final Policy policy;
    private final Call call;
    private final Charge local;
    private final List<Step> steps;

    /** @param replicas among how many instances the limits are divided where each counts for itself */
    public Charge(Policy policy, Call call, int replicas) {
        this(policy, call, replicas == 1 ? null : new Charge(policy.dividedBy(replicas), call, null));
    }

    private Charge(Policy policy, Call call, Charge local) {
        this.policy = policy;
        this.call = call;
        this.local = local;
        this.steps = policy.has(Algorithm.CONCURRENCY) ? null : steps(call);
    }

    public Policy policy() {
        return policy;
    }

    public Call call() {
        return call;
    }

    /** This charge where the instance counts for itself alone. */
    public Charge local() {
        return local == null ? this : local;
    }

    /**
     * The policy's part of a question.
     *
     * @param id tells the call from all others
     */
    public Ask ask(String caller, long id) {
        return new Ask(policy.name(), policy.mode() == Mode.SHADOW, caller,
                steps == null ? steps(new Call(call.cost(), call.manner(), id)) : steps);
    }

    private List<Step> steps(Call call) {
        List<Step> steps = new ArrayList<>(policy.limits().size());
        for (PolicyLimit limit : policy.limits()) {
            steps.add(new Step(limit.name(), limit.rule().take(call)));
        }
        return List.copyOf(steps);
    }
}
