package io.quarkiverse.ratelimit.runtime.policy;

import java.util.function.UnaryOperator;

/** Keeps the last variant of a policy that a plan or an override has made, so that equal calls have the same one. */
public final class LastVariant {

    private volatile Made last;

    private record Made(Object original, Object variant) {
    }

    /**
     * Returns the last variant if the policy is equal to that of the last time; otherwise makes another one.
     *
     * @param <P> always {@code Policy}, which this file does not import, because it would be a circle
     */
    @SuppressWarnings("unchecked")
    public <P> P variantOf(P policy, UnaryOperator<P> change) {
        Made made = last;
        if (made == null || made.original != policy && !made.original.equals(policy)) {
            made = new Made(policy, change.apply(policy));
            last = made;
        }
        return (P) made.variant;
    }

    /** Returns {@code true}: what was made last is not a part of the plan or the override. */
    @Override
    public boolean equals(Object other) {
        return other instanceof LastVariant;
    }

    @Override
    public int hashCode() {
        return 0;
    }
}
