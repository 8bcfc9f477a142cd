package io.quarkiverse.ratelimit.runtime.engine.charge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** One call that is to be decided: the policies that limit it, and the request to the store that contains all of them. */
public final class Call {

    private final long id;
    private final List<PolicyCall> policies = new ArrayList<>(1);
    private final List<LimitOperation> operations = new ArrayList<>(1);
    private char lastShadow = LimitOperation.ENFORCED;

    /** @param id identifies the call, and what it acquires, among all others */
    public Call(long id) {
        this.id = id;
    }

    /** A call that one policy limits. */
    public Call(long id, Charge charge, String key) {
        this(id);
        add(charge, key);
    }

    /** Adds a policy that limits the call, before the call is decided. */
    public void add(Charge charge, String key) {
        PolicyCall policy = new PolicyCall(charge, key, operations.size());
        policies.add(policy);
        charge.addTo(operations, key, id, group(policy));
    }

    private char group(PolicyCall policy) {
        return policy.requested().kind() == OperationKind.ACQUIRE_UP_TO ? LimitOperation.EQUAL_GRANTS
                : policy.shadow() ? ++lastShadow : LimitOperation.ENFORCED;
    }

    public long id() {
        return id;
    }

    public List<PolicyCall> policies() {
        return policies;
    }

    public boolean isEmpty() {
        return policies.isEmpty();
    }

    public StoreRequest request() {
        return new StoreRequest(operations);
    }

    /** The same policies as another call, by other charges. */
    public Call with(long otherId, UnaryOperator<Charge> other) {
        Call call = new Call(otherId);
        policies.forEach(policy -> call.add(other.apply(policy.charge()), policy.key()));
        return call;
    }

    /** Whether a canceled call must be refunded: it may be delayed, holds permits while it runs, or is an estimate. */
    public boolean needsRefundOnCancel() {
        for (int i = 0; i < policies.size(); i++) {
            PolicyCall policy = policies.get(i);
            if (policy.policy().mayDelay() || policy.holdsPermits() || policy.requested().refundable()) {
                return true;
            }
        }
        return false;
    }

    /** The policies whose permits the call holds while it runs, if the store has charged them by this reply. */
    public List<PolicyCall> heldAfter(StoreReply reply) {
        List<PolicyCall> held = List.of();
        for (int i = 0; i < policies.size(); i++) {
            PolicyCall policy = policies.get(i);
            if (policy.holdsPermits() && policy.requested().kind() != OperationKind.PEEK && policy.allowedBy(reply)
                    && request().allowedBy(reply)) {
                held = held.isEmpty() ? new ArrayList<>(1) : held;
                held.add(policy);
            }
        }
        return held;
    }
}
