package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;

/**
 * Collects what a policy and its overflows charge a call. It is complete with the first policy that allows each call, because
 * no other one is asked then.
 */
public final class OverflowChain {

    private final KeyedCharge first;
    private final List<KeyedCharge> overflows = new ArrayList<>(1);

    /** @param first under the limits in force. A block of its key by code, or its shadow mode, lets no overflow be asked. */
    public OverflowChain(KeyedCharge first) {
        this.first = first;
    }

    public boolean isComplete() {
        return first.charge().shadow() || first.policy().isBlocked()
                || !overflows.isEmpty() && overflows.get(overflows.size() - 1).charge().allowsAlways();
    }

    /**
     * Adds an overflow, unless its key is missing.
     *
     * @param key {@code null} where a part of it is missing
     * @param inForce the charge by the limits in force; {@code null} if the policy does not limit the caller
     */
    public void add(Charge overflow, String key, Charge inForce) {
        if (key != null) {
            overflows.add(new KeyedCharge(inForce == null ? overflow.withoutLimits() : inForce, key, first.policy().name()));
        }
    }

    /** Returns the charges in the order in which the policies are asked. Only the last of them may delay the call. */
    public List<KeyedCharge> charges() {
        if (overflows.isEmpty()) {
            return List.of(first);
        }
        List<KeyedCharge> all = new ArrayList<>(1 + overflows.size());
        all.add(new KeyedCharge(first.charge(), first.key(), first.policy().name()));
        all.addAll(overflows);
        all.subList(0, overflows.size()).replaceAll(OverflowChain::withoutDelay);
        return all;
    }

    /** An override may delay calls of any policy. */
    private static KeyedCharge withoutDelay(KeyedCharge keyed) {
        return !keyed.policy().mayDelay() ? keyed
                : keyed.with(new Charge(keyed.policy().withMaxWait(Duration.ZERO), keyed.charge().requested()));
    }
}
