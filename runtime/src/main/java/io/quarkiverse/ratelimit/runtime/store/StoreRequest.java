package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Mergeable;

/**
 * Holds the request to a store that decides whether one call may go ahead.
 *
 * @param asks one part for each policy that limits the call, with its caller
 * @param leveled whether each limit grants only as much as the lowest of them
 */
public record StoreRequest(List<PolicyRequest> asks, boolean leveled) {

    /** The group of limits that can deny the call. */
    private static final char ENFORCED = '0';
    private static final String ONE_ENFORCED = "0";
    private static final char LEVELED = 'u';

    public StoreRequest(List<PolicyRequest> asks) {
        this(asks, false);
    }

    /** The number of limits in the request, of all policies together. */
    public int limits() {
        int limits = 0;
        for (int i = 0; i < asks.size(); i++) {
            limits += asks.get(i).steps().size();
        }
        return limits;
    }

    /** Whether the request has only one limit, which can deny the call. */
    public boolean isOneEnforcedLimit() {
        return !leveled && asks.size() == 1 && !asks.get(0).shadow() && asks.get(0).steps().size() == 1;
    }

    /** Whether both requests contain the same charges, perhaps for different callers. */
    public boolean asksAs(StoreRequest other) {
        if (leveled != other.leveled || asks.size() != other.asks.size()) {
            return false;
        }
        for (int i = 0; i < asks.size(); i++) {
            PolicyRequest own = asks.get(i);
            PolicyRequest its = other.asks.get(i);
            if (own.steps() != its.steps() || own.shadow() != its.shadow()) {
                return false;
            }
        }
        return true;
    }

    /**
     * One character per limit: {@code 0} for a limit that can deny the call, {@code u} in a leveled request, otherwise
     * the number of the shadow policy, counted from 1.
     */
    public String groups() {
        if (isOneEnforcedLimit()) {
            return ONE_ENFORCED;
        }
        StringBuilder groups = new StringBuilder(4);
        char shadow = ENFORCED;
        for (PolicyRequest ask : asks) {
            char group = leveled ? LEVELED : ask.shadow() ? ++shadow : ENFORCED;
            for (int i = ask.steps().size(); i > 0; i--) {
                groups.append(group);
            }
        }
        return groups.toString();
    }

    /**
     * Whether several of these requests can be merged. All their limits then have the same cost, by which they are
     * leveled.
     */
    public boolean isMergeable() {
        if (leveled) {
            return false;
        }
        long cost = 0;
        for (PolicyRequest ask : asks) {
            if (ask.shadow()) {
                return false;
            }
            for (LimitOperation step : ask.steps()) {
                Mergeable merging = step.act().merging();
                if (merging == null || cost > 0 && merging.cost() != cost) {
                    return false;
                }
                cost = merging.cost();
            }
        }
        return true;
    }

    /** Merges this many of these requests into one. */
    public StoreRequest times(int questions) {
        List<PolicyRequest> all = new ArrayList<>(asks.size());
        for (PolicyRequest ask : asks) {
            List<LimitOperation> steps = new ArrayList<>(ask.steps().size());
            for (LimitOperation step : ask.steps()) {
                steps.add(new LimitOperation(step.limit(), step.act().merging().times(questions)));
            }
            all.add(new PolicyRequest(ask.policy(), false, ask.caller(), steps));
        }
        return new StoreRequest(all, limits() > 1);
    }

    /**
     * Returns the reply to the first of several merged requests, and changes {@code answer} to the reply to the others.
     */
    public long[] split(long[] answer) {
        long[] first = answer.clone();
        int at = LimitRule.FIRST;
        for (PolicyRequest ask : asks) {
            for (LimitOperation step : ask.steps()) {
                step.act().merging().first(first, at, first[0]);
                at += LimitRule.WIDTH;
            }
        }
        if (allowed(first)) {
            at = LimitRule.FIRST;
            for (PolicyRequest ask : asks) {
                for (LimitOperation step : ask.steps()) {
                    step.act().merging().others(answer, at);
                    at += LimitRule.WIDTH;
                }
            }
        }
        return first;
    }

    /** Equal requests have equal hashes. The hash takes no longer than that of a string. */
    @Override
    public int hashCode() {
        PolicyRequest first = asks.get(0);
        return (first.policy().hashCode() * 31 + first.caller().hashCode()) * 31 + first.steps().get(0).act().hashCode();
    }

    /** Whether every limit that can deny the call allows it, by the store's reply. */
    public boolean allowed(long[] reply) {
        int at = LimitRule.FIRST;
        for (PolicyRequest ask : asks) {
            int size = ask.steps().size();
            if (!ask.shadow() && !allows(reply, at, size)) {
                return false;
            }
            at += size * LimitRule.WIDTH;
        }
        return true;
    }

    /** Whether this many limits, whose numbers begin at {@code at}, all allow the call. */
    public static boolean allows(long[] reply, int at, int limits) {
        return least(reply, at, limits) > 0;
    }

    /** The lowest grant of this many limits, whose numbers begin at {@code at}. */
    static long least(long[] reply, int at, int limits) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < limits; i++) {
            least = Math.min(least, reply[at + i * LimitRule.WIDTH]);
        }
        return least;
    }
}
