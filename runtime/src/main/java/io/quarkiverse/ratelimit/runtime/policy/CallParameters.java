package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/**
 * The indexes of the method parameters that a decision needs, starting at 0.
 *
 * @param keys the parameters that are part of the key, in declaration order
 * @param cost the parameter that holds the cost, or {@value #NO_COST}
 */
public record CallParameters(List<Integer> keys, int cost) {

    public static final int NO_COST = -1;
    public static final CallParameters NONE = new CallParameters(List.of(), NO_COST);

    /** No arguments that belong to a key. */
    public static final Object[] NO_ARGUMENTS = {};

    public boolean isEmpty() {
        return keys.isEmpty() && cost == NO_COST;
    }

    /** The arguments of a call that belong to the key. */
    public Object[] keyArguments(Object[] arguments) {
        if (keys.isEmpty()) {
            return NO_ARGUMENTS;
        }
        Object[] values = new Object[keys.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments[keys.get(i)];
        }
        return values;
    }
}
