package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/** Creates requests, and reads their replies. */
public final class StoreRequests {

    private StoreRequests() {
    }

    /** An enforced policy whose limits are named {@code l0}, {@code l1} and so on. */
    public static Policy policy(String name, Limit... limits) {
        return policy(name, Mode.ENFORCE, limits);
    }

    public static Policy policy(String name, Mode mode, Limit... limits) {
        List<PolicyLimit> named = new ArrayList<>();
        for (Limit limit : limits) {
            named.add(new PolicyLimit("l" + named.size(), limit));
        }
        return new Policy(name, named, null, MissingKey.IP, OnRedisFailure.LOCAL, mode, true);
    }

    /** One call that all these policies rules. */
    public static StoreRequest requestOf(String caller, long cost, Policy... policies) {
        Call call = new Call(0);
        for (Policy policy : policies) {
            call.add(new Charge(policy, PermitRequest.of(cost)), caller);
        }
        return call.request();
    }

    /** A request with one operation on the limit {@code l0} of a policy, such as a refund. */
    public static StoreRequest operation(String policy, String caller, Operation operation) {
        return new StoreRequest(List.of(operation(policy, "l0", caller, operation)));
    }

    public static LimitOperation operation(String policy, String limit, String caller, Operation operation) {
        return new LimitOperation(new LimitKey(policy, limit, caller), operation);
    }

    /** A call of one policy. */
    public static StoreRequest requestOf(Policy policy, PermitRequest requested, String caller) {
        return new Call(requested.id(), new Charge(policy, requested), caller).request();
    }

    /** How many permits each limit granted. */
    public static long[] granted(StoreReply reply) {
        return reply.limits().stream().mapToLong(LimitReply::granted).toArray();
    }

    /** How many permits of a limit were in use before the call. */
    public static long inUse(StoreReply reply, int limit) {
        LimitState state = reply.usage(limit).state("l" + limit, PermitRequest.of(1), reply.time(), false);
        return state.permits() - state.remaining();
    }

    /** The state of every limit in a request of these policies after this reply. */
    public static List<LimitState> states(StoreRequest request, long cost, StoreReply reply, Policy... policies) {
        List<LimitState> states = new ArrayList<>();
        for (Policy policy : policies) {
            for (PolicyLimit limit : policy.limits()) {
                states.add(reply.usage(states.size()).state(limit.name(), PermitRequest.of(cost), reply.time(),
                        request.allowedBy(reply)));
            }
        }
        return states;
    }
}
