package io.quarkiverse.ratelimit.runtime.engine.call;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/**
 * Holds what one policy charges each call. It is prepared once; a call only adds its key and its id. Calls with the same
 * charge share its operations, so that they can be merged.
 *
 * @param policy with the limits in force
 * @param limitRequests what a call requests from each limit of the policy, in their order
 * @param storedNames of the limits, as their keys contain them, then that of the penalty if there is one: one for each
 *        operation
 * @param operations of every call; {@code null} where calls hold permits: then each call has its own, because its id
 *        identifies its permits
 * @param differsByCaller whether exemptions or plans make a difference between callers
 * @param shadow whether the policy counts calls but cannot deny them
 * @param undelayed what a call is charged when it must not be delayed, and its denial does not count towards a block;
 *        {@code null} if the policy delays no calls
 */
public record Charge(Policy policy, KeyTemplate key, PermitRequest requested, List<PermitRequest> limitRequests,
        List<String> storedNames, List<Operation> operations, boolean differsByCaller, boolean shadow, Charge undelayed) {

    public Charge(Policy policy, PermitRequest requested) {
        this(policy, policy.countWhen().areRestricted() || policy.mayDelay() ? requested.asRefundable() : requested,
                storedNames(policy, requested));
    }

    private Charge(Policy policy, PermitRequest requested, List<String> storedNames) {
        this(policy, policy.key() == null ? KeyTemplate.GLOBAL : policy.key(), requested, limitRequests(policy, requested),
                storedNames, policy.holdsPermits() ? null
                        : operations(policy, limitRequests(policy, requested), storedNames.size(), requested.id()),
                !policy.exempt().areNone() || !policy.plans().isEmpty(), policy.mode() == Mode.SHADOW,
                policy.mayDelay() && policy.mode() != Mode.SHADOW
                        ? new Charge(policy.withMaxWait(Duration.ZERO).withoutCountingDenials(), requested)
                        : null);
    }

    private static List<String> storedNames(Policy policy, PermitRequest requested) {
        List<String> names = new ArrayList<>(1);
        for (PolicyLimit limit : policy.limits()) {
            names.add(limit.storedName());
        }
        if (policy.penalty() != null && requested.kind() != OperationKind.CHARGE) {
            names.add(LimitKey.PENALTY);
        }
        return names;
    }

    private static List<PermitRequest> limitRequests(Policy policy, PermitRequest requested) {
        List<PermitRequest> requests = new ArrayList<>(1);
        for (PolicyLimit limit : policy.limits()) {
            // a request that prefetches already has the permits of the limit, also of one that counts calls
            requests.add(requested.kind() == OperationKind.PREFETCH ? requested : limit.charged(requested));
        }
        return requests;
    }

    /** Returns the charge of a caller that the policy does not limit: it is allowed, and nothing is charged. */
    public Charge withoutLimits() {
        return new Charge(policy, key, requested, List.of(), List.of(), List.of(), differsByCaller, false, null);
    }

    /** Returns whether the policy does not limit the caller. */
    public boolean isWithoutLimits() {
        return storedNames.isEmpty();
    }

    /** Returns whether the store has asked the limits of the policy. */
    boolean isAsked(StoreReply reply, int first) {
        return !isWithoutLimits() && reply.limits().get(first).granted() != LimitReply.NOT_ASKED;
    }

    /** Returns whether the policy allows each call, also one for which its limits have no permits. */
    public boolean allowsAlways() {
        return shadow || isWithoutLimits();
    }

    /** Prepares this charge for a policy whose penalty does not count the denial. */
    public Charge withoutCountingDenials() {
        return policy.countsDenials() && !isWithoutLimits() ? new Charge(policy.withoutCountingDenials(), requested) : this;
    }

    /** Returns the stored form of the caller's key; {@code null} where a part is missing and the policy has no value for it. */
    public String keyOf(CallDetails call) {
        return key.resolve(call, policy.name(), policy.missingKey(), policy.normalize());
    }

    /**
     * Returns the number of permits that a call acquires if it is charged.
     *
     * @param first the position of the charge's first operation in the request and in its reply, as below
     */
    public long granted(StoreReply reply, int first) {
        return switch (requested.kind()) {
            case ACQUIRE_UP_TO, PREFETCH -> reply.limits().get(first).granted();
            case ACQUIRE, CHARGE, PEEK -> requested.cost();
        };
    }

    /** Returns whether all limits of the policy, and its penalty, allow the call. */
    public boolean allowedBy(StoreReply reply, int first) {
        return reply.allows(first, storedNames.size());
    }

    /** Returns how long the penalty of the policy blocks the key; zero if it does not. */
    public Duration blockedFor(StoreReply reply, int first) {
        return reply.blockedFor(first + storedNames.size() - 1);
    }

    void addTo(List<LimitOperation> all, String key, long id, char group) {
        List<Operation> added = operations == null ? operations(policy, limitRequests, storedNames.size(), id) : operations;
        for (int i = 0; i < added.size(); i++) {
            all.add(new LimitOperation(new LimitKey(policy.name(), storedNames.get(i), key), added.get(i), group));
        }
    }

    private static List<Operation> operations(Policy policy, List<PermitRequest> limitRequests, int count, long id) {
        List<Operation> operations = new ArrayList<>(count);
        for (int i = 0; i < limitRequests.size(); i++) {
            operations.add(policy.limits().get(i).rule().acquire(limitRequests.get(i).withId(id)));
        }
        if (count > limitRequests.size()) {
            operations.add(policy.penalty().apply(limitRequests.get(0).kind(), limitRequests.size()));
        }
        return operations;
    }
}
