package io.quarkiverse.ratelimit.runtime.engine.decision;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/**
 * The denied calls of one key that are not due yet. Holds what they will leave of the limits of the key: its algorithms
 * begin with the state in the store's reply, and charge each call when it is due. All times are microseconds.
 */
final class TurnQueue {

    private static final long SECOND = 1_000_000;
    /** A turn that takes more tries to find is later than all others. */
    private static final int TRIES = 16;
    /** So that one key cannot displace all others: further calls get the latest turn. */
    static final int MAX_WEIGHT = 10_000;

    private final List<PolicyLimit> limits;
    private final Object[] states;
    private final long firstDenial;
    /** The time of the states. */
    private long stateTime;
    private long lastDue;

    /** An empty queue that begins with a denial of this time. */
    TurnQueue(Decision denial, long now) {
        ReplyDetails details = (ReplyDetails) denial.calculation();
        this.limits = denial.appliedPolicy().limits();
        this.states = new Object[limits.size()];
        this.firstDenial = now;
        this.stateTime = now;
        for (int i = 0; i < states.length; i++) {
            states[i] = details.reply.usage(details.part.first() + i).stored(details.reply.time());
        }
    }

    /** Whether any call is still to come. */
    boolean hasCallsAfter(long now) {
        return lastDue > now;
    }

    /** Whether any call is still to come under the same limits. After a jump of the clock, it is unknown when. */
    boolean continuesWith(Decision denial, long now, long horizonSeconds) {
        return hasCallsAfter(now) && lastDue - now <= horizonSeconds * SECOND && limits.equals(denial.appliedPolicy().limits());
    }

    /** How much memory it takes, in multiples of what a key takes: only logs hold each call. */
    int weight() {
        int weight = 1;
        for (Object state : states) {
            weight += state instanceof OperationResult.Weighted weighted ? weighted.weight() : 0;
        }
        return weight;
    }

    /**
     * Adds a denied call.
     *
     * @param earliest after how long it would be allowed if nobody else called
     * @param horizonSeconds the latest turn
     * @return in how many seconds it is due; the latest turn if it is not added
     */
    long add(ReplyDetails reply, long now, long earliest, long horizonSeconds) {
        long allowedFrom = Math.max(now + earliest, stateTime);
        for (int tries = 0; tries < TRIES && weight() < MAX_WEIGHT; tries++) {
            long seconds = wholeSeconds(allowedFrom - now);
            if (seconds > horizonSeconds) {
                break;
            }
            long due = now + seconds * SECOND;
            long second = due - Math.floorMod(due - firstDenial, SECOND);
            // callers wait for whole seconds, so calls that are due in the same second may all come at once
            boolean shared = stateTime >= second;
            long time = shared ? stateTime : Math.max(allowedFrom, second);
            long missing = acquire(reply, time);
            if (missing == 0) {
                stateTime = time;
                lastDue = Math.max(lastDue, due);
                return seconds;
            }
            allowedFrom = shared ? Math.max(time + missing, second + SECOND) : time + missing;
        }
        return Math.max(horizonSeconds, wholeSeconds(earliest));
    }

    /** Acquires the permits of a call at this time. Returns 0, or after how long all limits may have them. */
    private long acquire(ReplyDetails reply, long time) {
        OperationResult[] results = new OperationResult[states.length];
        long missing = 0;
        for (int i = 0; i < states.length; i++) {
            if (limits.get(i).rule().holdsPermits()) {
                continue;
            }
            // the first one has the exact time, but not all states are exact
            PermitRequest requested = new PermitRequest(reply.part.charge().ofLimits.get(i).least(),
                    lastDue == 0 ? OperationKind.CHARGE : OperationKind.ACQUIRE, 0);
            results[i] = limits.get(i).rule().acquire(requested).decide(states[i], time, 0, List.of());
            if (results[i].reply().granted() == 0) {
                UsageReply denied = (UsageReply) results[i].reply();
                missing = Math.max(missing, micros(denied.state("", requested, time, false).retryAfter()));
            }
        }
        for (int i = 0; i < states.length && missing == 0; i++) {
            states[i] = results[i] == null ? null : results[i].stored().get();
        }
        return missing;
    }

    /** Rounded up. */
    static long wholeSeconds(long micros) {
        return Math.max(1, (micros + SECOND - 1) / SECOND);
    }
}
