package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Merging;

/**
 * Asks whether one call may go ahead.
 *
 * @param asks of all policies that guard it, each with its caller
 * @param leveled whether all limits grant only as much as the least of them
 */
public record Question(List<Ask> asks, boolean leveled) {

    /** The group of limits that can refuse the call. */
    private static final char ENFORCED = '0';
    private static final String ONE_ENFORCED = "0";
    private static final char LEVELED = 'u';

    public Question(List<Ask> asks) {
        this(asks, false);
    }

    /** How many limits are asked, of all policies together. */
    public int limits() {
        int limits = 0;
        for (int i = 0; i < asks.size(); i++) {
            limits += asks.get(i).steps().size();
        }
        return limits;
    }

    /** Whether only one limit is asked, which can refuse the call. */
    public boolean isOneEnforcedLimit() {
        return !leveled && asks.size() == 1 && !asks.get(0).shadow() && asks.get(0).steps().size() == 1;
    }

    /** Whether the same charges are asked of other callers, perhaps. */
    public boolean asksAs(Question other) {
        if (leveled != other.leveled || asks.size() != other.asks.size()) {
            return false;
        }
        for (int i = 0; i < asks.size(); i++) {
            Ask own = asks.get(i);
            Ask its = other.asks.get(i);
            if (own.steps() != its.steps() || own.shadow() != its.shadow()) {
                return false;
            }
        }
        return true;
    }

    /** One character per limit: who can refuse the call, or else the number of its shadow policy, counted from 1. */
    public String groups() {
        if (isOneEnforcedLimit()) {
            return ONE_ENFORCED;
        }
        StringBuilder groups = new StringBuilder(4);
        char shadow = ENFORCED;
        for (Ask ask : asks) {
            char group = leveled ? LEVELED : ask.shadow() ? ++shadow : ENFORCED;
            for (int i = ask.steps().size(); i > 0; i--) {
                groups.append(group);
            }
        }
        return groups.toString();
    }

    /** Whether several such questions can be asked as one; all limits have the same cost then, by which they are leveled. */
    public boolean isMergeable() {
        if (leveled) {
            return false;
        }
        long cost = 0;
        for (Ask ask : asks) {
            if (ask.shadow()) {
                return false;
            }
            for (Step step : ask.steps()) {
                Merging merging = step.act().merging();
                if (merging == null || cost > 0 && merging.cost() != cost) {
                    return false;
                }
                cost = merging.cost();
            }
        }
        return true;
    }

    /** So many such questions as one. */
    public Question times(int questions) {
        List<Ask> all = new ArrayList<>(asks.size());
        for (Ask ask : asks) {
            List<Step> steps = new ArrayList<>(ask.steps().size());
            for (Step step : ask.steps()) {
                steps.add(new Step(step.limit(), step.act().merging().times(questions)));
            }
            all.add(new Ask(ask.policy(), false, ask.caller(), steps));
        }
        return new Question(all, limits() > 1);
    }

    /** The answer to the first of several such questions that were asked as one; leaves that to the others in its place. */
    public long[] split(long[] answer) {
        long[] first = answer.clone();
        int at = LimitRule.FIRST;
        for (Ask ask : asks) {
            for (Step step : ask.steps()) {
                step.act().merging().first(first, at, first[0]);
                at += LimitRule.WIDTH;
            }
        }
        if (admitted(first)) {
            at = LimitRule.FIRST;
            for (Ask ask : asks) {
                for (Step step : ask.steps()) {
                    step.act().merging().others(answer, at);
                    at += LimitRule.WIDTH;
                }
            }
        }
        return first;
    }

    /** Equal questions have it in common; it takes no longer than that of a text. */
    @Override
    public int hashCode() {
        Ask first = asks.get(0);
        return (first.policy().hashCode() * 31 + first.caller().hashCode()) * 31 + first.steps().get(0).act().hashCode();
    }

    /** Whether every limit that can refuse the call admits it, by a store's answer. */
    public boolean admitted(long[] reply) {
        int at = LimitRule.FIRST;
        for (Ask ask : asks) {
            int size = ask.steps().size();
            if (!ask.shadow() && !admits(reply, at, size)) {
                return false;
            }
            at += size * LimitRule.WIDTH;
        }
        return true;
    }

    /** Whether so many limits, whose numbers begin at {@code at}, all admit the call. */
    public static boolean admits(long[] reply, int at, int limits) {
        return least(reply, at, limits) > 0;
    }

    /** The least that so many limits grant, whose numbers begin at {@code at}. */
    static long least(long[] reply, int at, int limits) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < limits; i++) {
            least = Math.min(least, reply[at + i * LimitRule.WIDTH]);
        }
        return least;
    }
}
