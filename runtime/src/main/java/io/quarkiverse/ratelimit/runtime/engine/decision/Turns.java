package io.quarkiverse.ratelimit.runtime.engine.decision;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.longer;
import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.RetryAfter;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;

/**
 * Tells denied callers to come back one after the other: each after the calls of the same key that were denied before it and
 * are not due yet. No decision depends on it.
 */
public final class Turns {

    private static final long SECOND = 1_000_000;
    /** A turn that takes more tries to find is later than all others. */
    private static final int TRIES = 16;
    /** Bounds the memory of all keys. */
    static final int MAX_WEIGHT = 50_000;
    /** So that one key cannot displace all others: further calls get the latest turn. */
    static final int MAX_KEY_WEIGHT = 10_000;
    /** The latest turn for limits that fill sooner. */
    static final Duration SHORTEST_HORIZON = Duration.ofSeconds(30);

    /** The key that was denied least recently first. */
    private final Map<LimitKey, TurnQueue> queues = new LinkedHashMap<>(16, 0.75f, true);
    int weight;

    /** The outcome as its caller gets it. The same instance if no policy of a denial has {@code retry-after=in-turn}. */
    public Outcome withTurns(Outcome outcome) {
        return outcome.decisions().stream().noneMatch(Turns::getsTurn) ? outcome
                : new Outcome(outcome.decisions().stream().map(this::withTurn).toList());
    }

    private static boolean getsTurn(Decision decision) {
        return !decision.allowed() && decision.appliedPolicy().retryAfter() == RetryAfter.IN_TURN
                && decision.reason() == DenialReason.LIMIT_REACHED && decision.calculation() instanceof ReplyDetails;
    }

    private Decision withTurn(Decision decision) {
        if (!getsTurn(decision)) {
            return decision;
        }
        Details exact = decision.calculation().details();
        LimitState denying = LimitUsage.determining(exact.limits());
        LimitRule rule = PolicyLimit.ruleOf(denying.definition());
        if (rule.holdsPermits()) {
            return decision;
        }
        long earliest = micros(exact.retryAfter());
        long turn = nextTurn(decision, ChronoUnit.MICROS.between(Instant.EPOCH, exact.decidedAt()), earliest, rule);
        return turn <= wholeSeconds(earliest) ? decision
                : decision.with(decision.source(), 0, later(exact, denying, Duration.ofSeconds(turn)));
    }

    private static Details later(Details exact, LimitState denying, Duration turn) {
        LimitState inTurn = new LimitUsage(denying.limit(), denying.definition(), false, denying.permits(),
                denying.remaining(), denying.delay(), turn, longer(denying.nextPermitAfter(), turn),
                denying.resetAfter().plus(turn).minus(denying.retryAfter()));
        return Details.of(exact.limits().stream().map(limit -> limit == denying ? inTurn : limit).toList(), exact.reason(),
                exact.decidedAt());
    }

    /** In how many seconds the call is due, which this limit denies the longest. */
    private synchronized long nextTurn(Decision decision, long now, long earliest, LimitRule rule) {
        long horizonSeconds = Math.max(SHORTEST_HORIZON.toSeconds(), LimitUsage.micros(rule.fillTime(now)).toSeconds());
        LimitKey key = new LimitKey(decision.policy(), "", decision.key());
        TurnQueue queue = queues.get(key);
        int before = queue == null ? 0 : queue.weight();
        if (queue == null || !queue.continuesWith(decision, now, horizonSeconds)) {
            queue = new TurnQueue(decision, now);
            queues.put(key, queue);
        }
        long turn = queue.add((ReplyDetails) decision.calculation(), now, earliest, horizonSeconds);
        weight += queue.weight() - before;
        evict(now);
        return turn;
    }

    /** Evicts the keys denied least recently: those without turns, and others while there are too many. */
    private void evict(long now) {
        Iterator<TurnQueue> oldest = queues.values().iterator();
        while (oldest.hasNext()) {
            TurnQueue queue = oldest.next();
            if (weight <= MAX_WEIGHT && queue.hasCallsAfter(now)) {
                return;
            }
            oldest.remove();
            weight -= queue.weight();
        }
    }

    public synchronized void clear() {
        queues.clear();
        weight = 0;
    }

    /** Rounded up. */
    private static long wholeSeconds(long micros) {
        return Math.max(1, (micros + SECOND - 1) / SECOND);
    }

    /**
     * The denied calls of one key that are not due yet. Holds what they will leave of the limits of the key: its algorithms
     * begin with the state in the store's reply, and charge each call when it is due. All times are microseconds.
     */
    private static final class TurnQueue {

        private final List<PolicyLimit> limits;
        private final Object[] states;
        private final long firstDenial;
        /** The time of the states. */
        private long stateTime;
        private long lastDue;

        /** An empty queue that begins with a denial of this time. */
        TurnQueue(Decision denial, long now) {
            ReplyDetails details = (ReplyDetails) denial.calculation();
            this.limits = counted(denial);
            this.states = new Object[limits.size()];
            this.firstDenial = now;
            this.stateTime = now;
            for (int i = 0; i < states.length; i++) {
                states[i] = details.reply.usage(details.keyed.offset() + i).stored(details.reply.time());
            }
        }

        /** Whether any call is still to come. */
        boolean hasCallsAfter(long now) {
            return lastDue > now;
        }

        /** Whether any call is still to come under the same limits. After a jump of the clock, it is unknown when. */
        boolean continuesWith(Decision denial, long now, long horizonSeconds) {
            return hasCallsAfter(now) && lastDue - now <= horizonSeconds * SECOND
                    && limits.equals(counted(denial));
        }

        /** The limits that the store has counted: in the fallback, this instance's share of them. */
        private static List<PolicyLimit> counted(Decision denial) {
            return denial.limits().stream().map(state -> new PolicyLimit(state.limit(), state.definition())).toList();
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
            for (int tries = 0; tries < TRIES && weight() < MAX_KEY_WEIGHT; tries++) {
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
                PermitRequest requested = new PermitRequest(reply.keyed.charge().limitRequests.get(i).least(),
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
    }
}
