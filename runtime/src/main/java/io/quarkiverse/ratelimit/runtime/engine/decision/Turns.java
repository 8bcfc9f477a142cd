package io.quarkiverse.ratelimit.runtime.engine.decision;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.longer;
import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.RetryAfter;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;

/**
 * Tells denied callers to come back one after the other: each after the calls of the same key that were denied before it and
 * are not due yet. No decision depends on it.
 */
public final class Turns {

    /** Bounds the memory of all keys. */
    static final int MAX_WEIGHT = 50_000;
    /** The latest turn for limits that fill sooner. */
    static final Duration SHORTEST_HORIZON = Duration.ofSeconds(30);

    /** The key that was denied least recently first. */
    private final Map<LimitKey, TurnQueue> queues = new LinkedHashMap<>(16, 0.75f, true);
    private int weight;

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
        return turn <= TurnQueue.wholeSeconds(earliest) ? decision
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

    int weight() {
        return weight;
    }
}
