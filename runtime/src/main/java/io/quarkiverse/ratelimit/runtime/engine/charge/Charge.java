package io.quarkiverse.ratelimit.runtime.engine.charge;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/** What one policy charges each call, prepared at the start; a call only adds its key and its id. */
public final class Charge {

    /** Stands for the next free group of shadow policies in a call. */
    static final char NEXT_SHADOW = LimitOperation.LAST_SHADOW;

    public final Policy policy;
    /** The policy whose limits are counted: in the fallback, this instance's share of them. */
    private final Policy counted;
    public final PermitRequest requested;
    /** What a call requests from each limit of the policy, in their order. */
    public final List<PermitRequest> limitRequests = new ArrayList<>(1);
    private final KeyTemplate key;
    /** Whether exemptions or plans make a difference between callers. */
    public final boolean differsByCaller;
    /**
     * Whether a canceled call must be refunded: it may be delayed, counts only for some statuses, is an estimate, or holds
     * permits while it runs.
     */
    final boolean needsRefundOnCancel;
    /** Whether the policy counts calls but cannot deny them. */
    public final boolean shadow;
    final char group;
    /** The names of the limits, then that of the penalty if there is one. */
    public final List<String> names = new ArrayList<>(1);
    /**
     * The operations of every call; {@code null} where calls hold permits: then each call has its own, because its id
     * identifies its permits.
     */
    private final List<Operation> operations;
    /** Charges by configured plans, which are few. */
    private final Map<String, Charge> byPlan;
    /** The last result of {@link #with(Policy)}: with an override for all callers, every call needs the same one. */
    private volatile Charge byOtherLimits;

    public Charge(Policy policy, PermitRequest requested) {
        this(policy, policy, requested);
    }

    private Charge(Policy policy, Policy counted, PermitRequest requested) {
        this.policy = policy;
        this.counted = counted;
        this.requested = policy.countWhen().areRestricted() || policy.mayDelay() ? requested.asRefundable() : requested;
        for (PolicyLimit limit : policy.limits()) {
            names.add(limit.name());
            // prefetching() passes what charged() returned; again, it would reduce this to one permit where only calls count
            limitRequests.add(requested.kind() == OperationKind.PREFETCH ? this.requested : limit.charged(this.requested));
        }
        if (policy.penalty() != null && requested.kind() != OperationKind.CHARGE) {
            names.add(LimitKey.PENALTY);
        }
        this.key = policy.key() == null ? KeyTemplate.GLOBAL : policy.key();
        this.shadow = policy.mode() == Mode.SHADOW;
        this.group = requested.kind() == OperationKind.ACQUIRE_UP_TO ? LimitOperation.EQUAL_GRANTS
                : shadow ? NEXT_SHADOW : LimitOperation.ENFORCED;
        this.differsByCaller = !policy.exempt().areNone() || !policy.plans().isEmpty();
        this.operations = policy.holdsPermits() ? null : operations(requested.id());
        this.needsRefundOnCancel = this.requested.refundable() || operations == null;
        this.byPlan = policy.plans().isEmpty() ? Map.of() : new ConcurrentHashMap<>();
    }

    /** The stored form of the caller's key; {@code null} where a part is missing and the policy has no value for it. */
    public String keyOf(CallDetails call) {
        return key.resolve(call, policy.missingKey(), policy.normalize());
    }

    public Charge with(Policy other) {
        if (other == policy) {
            return this;
        }
        Charge charge = byOtherLimits;
        if (charge == null || charge.policy != other && !charge.policy.equals(other)) {
            charge = new Charge(other, requested);
            byOtherLimits = charge;
        }
        return charge;
    }

    public Charge with(Plan plan) {
        return plan.name() == null ? new Charge(policy.with(plan.limits()), requested)
                : byPlan.computeIfAbsent(plan.name(), name -> new Charge(policy.with(plan.limits()), requested));
    }

    /** The same charge under this instance's share of the limits. Call it last: the other methods return undivided charges. */
    public Charge dividedBy(int replicas) {
        return replicas == 1 ? this : new Charge(policy, policy.dividedBy(replicas), requested);
    }

    public Charge costing(long cost) {
        if (cost == requested.cost()) {
            return this;
        }
        PermitRequest costing = new PermitRequest(cost, requested.kind(), requested.id());
        return new Charge(policy, requested.refundable() ? costing.asRefundable() : costing);
    }

    /** The same charge for calls of which a part is usually refunded. */
    public Charge refundable() {
        return requested.refundable() ? this : new Charge(policy, requested.asRefundable());
    }

    /** The same charge combined with permits for later calls. The policy has one limit. */
    public Charge prefetching(long ahead) {
        return new Charge(policy, limitRequests.get(0).prefetching(ahead));
    }

    void addTo(List<LimitOperation> all, String key, long id, char group) {
        List<Operation> added = operations == null ? operations(id) : operations;
        for (int i = 0; i < added.size(); i++) {
            all.add(new LimitOperation(new LimitKey(policy.name(), names.get(i), key), added.get(i), group));
        }
    }

    private List<Operation> operations(long id) {
        List<Operation> operations = new ArrayList<>(names.size());
        for (int i = 0; i < limitRequests.size(); i++) {
            operations.add(counted.limits().get(i).rule().acquire(limitRequests.get(i).withId(id)));
        }
        if (names.size() > limitRequests.size()) {
            operations.add(policy.penalty().apply(requested.kind(), limitRequests.size()));
        }
        return operations;
    }
}
