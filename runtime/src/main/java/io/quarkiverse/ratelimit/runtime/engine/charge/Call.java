package io.quarkiverse.ratelimit.runtime.engine.charge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/**
 * One call that is to be decided: the policies that limit it, and the request to the store that contains all of them.
 *
 * @param id identifies the call, and what it acquires, among all others
 * @param charges one for each policy that limits the call, with its key
 * @param exempt the policies that do not limit the caller
 * @param denyingPolicy the policy that denies the call because its key is missing, so that no store decides it, or {@code null}
 */
public record Call(long id, List<KeyedCharge> charges, StoreRequest request, List<Policy> exempt, Policy denyingPolicy) {

    public Call(long id) {
        this(id, new ArrayList<>(1), new StoreRequest(new ArrayList<>(1)), new ArrayList<>(0), null);
    }

    public Call(long id, Charge charge, String key) {
        this(id);
        add(charge, key);
    }

    public void add(Charge charge, String key) {
        charges.add(new KeyedCharge(charge, key, request.operations().size()));
        charge.addTo(request.operations(), key, id, charge.group == Charge.NEXT_SHADOW ? nextShadow() : charge.group);
    }

    /** For the charge just added. Shadow policies for which no group is free share the last one, and are charged together. */
    private char nextShadow() {
        long shadows = charges.stream().filter(keyed -> keyed.charge.shadow).count();
        return (char) Math.min(LimitOperation.ENFORCED + shadows, LimitOperation.LAST_SHADOW);
    }

    /** The same policies as another call, with other charges. */
    public Call with(long otherId, Function<KeyedCharge, Charge> other) {
        Call call = new Call(otherId);
        charges.forEach(keyed -> call.add(other.apply(keyed), keyed.key()));
        return call;
    }

    /** Whether the call needs nothing but its decision, also if it is canceled. */
    public boolean isPlain() {
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).charge.needsRefundOnCancel) {
                return false;
            }
        }
        return true;
    }

    /** A call with the same id and exemptions that this policy denies because its key is missing. */
    public Call deniedWithoutKey(Policy policy) {
        return new Call(id, List.of(), new StoreRequest(List.of()), exempt, policy);
    }

    /**
     * What a call is charged of one policy, under one key.
     *
     * @param key the stored form of the caller's key
     * @param offset the position of the policy's first operation in the request and in its reply
     */
    public record KeyedCharge(Charge charge, String key, int offset) {

        /** The policy with the limits in force. */
        public Policy policy() {
            return charge.policy;
        }

        /** The number of permits that the call acquires, according to this reply, if it is allowed. */
        public long granted(StoreReply reply) {
            return switch (charge.requested.kind()) {
                case PEEK -> 0;
                case ACQUIRE_UP_TO -> reply.limits().get(offset).granted();
                case ACQUIRE, CHARGE, PREFETCH -> charge.requested.cost();
            };
        }

        /** Whether all limits of the policy, and its penalty, allow the call. */
        public boolean allowedBy(StoreReply reply) {
            return reply.allows(offset, charge.names.size());
        }

        /** How long the penalty of the policy blocks the key, by the reply; zero if it does not. */
        public Duration blockedFor(StoreReply reply) {
            return reply.blockedFor(offset + charge.names.size() - 1);
        }
    }
}
