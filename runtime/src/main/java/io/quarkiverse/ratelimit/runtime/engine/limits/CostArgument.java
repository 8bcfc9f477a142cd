package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;

/** Charges calls at the cost that an argument contains. */
final class CostArgument {

    private CostArgument() {
    }

    /**
     * The charges at the cost that the argument contains; none for 0.
     *
     * @throws IllegalArgumentException when the argument is not a number, or is out of range
     */
    static List<Charge> applied(Object argument, String method, List<Charge> charges) {
        long max = max(charges);
        if (!(argument instanceof Number number) || number.longValue() < 0 || number.longValue() > max) {
            throw new IllegalArgumentException(
                    "The @RateLimitCost of " + method + " must be 0 to " + max + ", but is " + argument);
        }
        long cost = number.longValue();
        List<Charge> costing = new ArrayList<>(charges.size());
        for (int i = 0; cost > 0 && i < charges.size(); i++) {
            costing.add(charges.get(i).costing(cost));
        }
        return costing;
    }

    private static long max(List<Charge> charges) {
        return charges.stream().mapToLong(charge -> charge.policy().maxCost()).min().orElse(Limit.MAX_PERMITS);
    }
}
