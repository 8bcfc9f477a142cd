package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Asks whether one call may go ahead: all policies that guard it, each with its caller. */
public record Question(List<Ask> asks) {

    /** The group of limits that can refuse the call. */
    public static final char ENFORCED = '0';

    /** How many limits are asked, of all policies together. */
    public int limits() {
        int limits = 0;
        for (Ask ask : asks) {
            limits += ask.charge().policy().limits().size();
        }
        return limits;
    }

    /** One character per limit: {@link #ENFORCED}, or the number of its shadow policy, counted from 1. */
    public String groups() {
        StringBuilder groups = new StringBuilder(4);
        char shadow = ENFORCED;
        for (Ask ask : asks) {
            Policy policy = ask.charge().policy();
            char group = policy.mode() == Mode.SHADOW ? ++shadow : ENFORCED;
            for (int i = policy.limits().size(); i > 0; i--) {
                groups.append(group);
            }
        }
        return groups.toString();
    }

    /** Whether every limit of an enforced policy admits the call, by a store's answer. */
    public boolean admitted(long[] reply) {
        int at = 0;
        for (Ask ask : asks) {
            int size = ask.charge().policy().limits().size();
            if (ask.charge().policy().mode() == Mode.ENFORCE && !admits(reply, at, size)) {
                return false;
            }
            at += size * LimitRule.WIDTH;
        }
        return true;
    }

    /** Whether so many limits, whose numbers begin at {@code at}, all admit the call. */
    public static boolean admits(long[] reply, int at, int limits) {
        for (int i = 0; i < limits; i++) {
            if (reply[at + i * LimitRule.WIDTH] != 1) {
                return false;
            }
        }
        return true;
    }
}
