package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/**
 * The parameters of a guarded method that its decision needs, counted from 0.
 *
 * @param keys those that belong to the key, in their order
 * @param cost the one that is the cost, {@value #NO_COST} where none is
 */
public record CallParameters(List<Integer> keys, int cost) {

    public static final int NO_COST = -1;
    public static final CallParameters NONE = new CallParameters(List.of(), NO_COST);

    public boolean isEmpty() {
        return keys.isEmpty() && cost == NO_COST;
    }
}
