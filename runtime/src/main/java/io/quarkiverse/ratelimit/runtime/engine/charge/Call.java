package io.quarkiverse.ratelimit.runtime.engine.charge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/** One call that is to be decided: the policies that limit it, and the request to the store that contains all of them. */
public final class Call {

    private final long id;
    private final List<PolicyPart> parts = new ArrayList<>(1);
    private final List<LimitOperation> operations = new ArrayList<>(1);
    private char lastShadow = LimitOperation.ENFORCED;
    private boolean refundable;
    private List<Policy> exempt = List.of();
    private Policy denyingPolicy;

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
        PolicyPart part = new PolicyPart(charge, key, operations.size());
        parts.add(part);
        refundable |= charge.needsRefundOnCancel();
        charge.addTo(operations, key, id, nextGroup(part));
    }

    private char nextGroup(PolicyPart part) {
        if (part.charge.requested().kind() == OperationKind.ACQUIRE_UP_TO) {
            return LimitOperation.EQUAL_GRANTS;
        }
        if (!part.shadow()) {
            return LimitOperation.ENFORCED;
        }
        // more shadow policies than this share the last group, so they are charged together
        lastShadow = (char) Math.min(lastShadow + 1, LimitOperation.LAST_SHADOW);
        return lastShadow;
    }

    public long id() {
        return id;
    }

    /** One for each policy that limits the call. */
    public List<PolicyPart> parts() {
        return parts;
    }

    public StoreRequest request() {
        return new StoreRequest(operations);
    }

    /** The same policies as another call, by other charges. */
    public Call with(long otherId, UnaryOperator<Charge> other) {
        Call call = new Call(otherId);
        parts.forEach(part -> call.add(other.apply(part.charge()), part.key()));
        return call;
    }

    /**
     * Whether the decision is all that the call needs: it is not delayed, holds no permits while it runs, and needs no refund
     * if it is canceled.
     */
    public boolean isPlain() {
        return !refundable;
    }

    /** Adds a policy that does not limit the caller. */
    public void exempt(Policy policy) {
        exempt = Stream.concat(exempt.stream(), Stream.of(policy)).toList();
    }

    /** The policies that do not limit the caller. */
    public List<Policy> exempt() {
        return exempt;
    }

    /**
     * A call with the same id and exemptions, but without the policies added so far: no store decides it, as this policy denies
     * it because its key is missing.
     */
    public Call deniedWithoutKey(Policy policy) {
        Call denied = new Call(id);
        denied.exempt = exempt;
        denied.denyingPolicy = policy;
        return denied;
    }

    /** The policy that denies the call as its key is missing; {@code null} for none. */
    public Policy denyingPolicy() {
        return denyingPolicy;
    }

    /**
     * One policy's part of a call.
     *
     * @param key the stored form of the caller's key
     * @param first the position of the policy's first operation in the request and in its reply
     */
    public record PolicyPart(Charge charge, String key, int first) {

        /** The policy with the limits in force. */
        public Policy policy() {
            return charge.policy();
        }

        /** Whether the call acquires permits if it is allowed. */
        public boolean acquires() {
            return charge.requested().kind() != OperationKind.PEEK;
        }

        /** The number of permits that a call gets which is allowed by this reply. */
        public long granted(StoreReply reply) {
            return charge.requested().kind() == OperationKind.ACQUIRE_UP_TO ? reply.limits().get(first).granted()
                    : charge.requested().cost();
        }

        /** Whether all limits of the policy, and its penalty, allow the call. */
        public boolean allowedBy(StoreReply reply) {
            return reply.allows(first, charge.operationCount());
        }

        /** How long the penalty of the policy blocks the key, by the reply; zero if it does not. */
        public Duration blockedFor(StoreReply reply) {
            return reply.blockedFor(first + charge.operationCount() - 1);
        }

        /** Whether the policy counts the call but cannot deny it. */
        public boolean shadow() {
            return policy().mode() == Mode.SHADOW;
        }

        /** Whether the call holds permits while it runs. */
        public boolean holdsPermits() {
            return policy().holdsPermits();
        }

        /** Whether this instance may repeat a denial of the same call without a request to Redis. */
        public boolean repeatsDenials() {
            return charge.requested().kind() == OperationKind.ACQUIRE && policy().repeatsDenials();
        }
    }
}
