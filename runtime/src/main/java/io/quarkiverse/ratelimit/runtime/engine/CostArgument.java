package io.quarkiverse.ratelimit.runtime.engine;

import java.util.List;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.store.Charge;

/** Reads the cost of a call from an argument. */
final class CostArgument {

    private CostArgument() {
    }

    /**
     * Returns the cost; 0 for a call that is not charged.
     *
     * @throws IllegalArgumentException when the argument is not a number, or is out of range
     */
    static long of(Object argument, String method, List<Charge> charges) {
        long max = max(charges);
        if (!(argument instanceof Number number) || number.longValue() < 0 || number.longValue() > max) {
            throw new IllegalArgumentException(
                    "The @RateLimitCost of " + method + " must be 0 to " + max + ", but is " + argument);
        }
        return number.longValue();
    }

    private static long max(List<Charge> charges) {
        return charges.stream().mapToLong(charge -> charge.policy().maxCost()).min().orElse(Limit.MAX_PERMITS);
    }
}
