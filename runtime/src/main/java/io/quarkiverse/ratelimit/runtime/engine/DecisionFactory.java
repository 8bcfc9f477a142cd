package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.PolicyDecision;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** Turns a store's reply into decisions. */
final class DecisionFactory {

    private static final Duration RETRY_WHEN_UNAVAILABLE = Duration.ofSeconds(1);

    private DecisionFactory() {
    }

    /** Reads the reply for every policy of the request. */
    static Outcome of(List<KeyedCharge> asked, StoreRequest question, long[] reply, long id, Source source,
            LeaseRenewal leases) {
        return of(asked, question.allowed(reply), reply, id, source, leases);
    }

    /** Reads the reply for a call that is not charged in the end, as another part of it is denied. */
    static Outcome uncharged(List<KeyedCharge> asked, long[] reply, long id, Source source, LeaseRenewal leases) {
        return of(asked, false, reply, id, source, leases);
    }

    private static Outcome of(List<KeyedCharge> asked, boolean allowed, long[] reply, long id, Source source,
            LeaseRenewal leases) {
        if (asked.size() == 1) {
            return ofOne(asked, allowed, reply, id, source, leases);
        }
        List<PolicyDecision> enforced = new ArrayList<>(asked.size());
        List<PolicyDecision> shadows = new ArrayList<>(0);
        List<KeyedCharge> charged = new ArrayList<>(asked.size());
        int at = LimitRule.FIRST;
        for (KeyedCharge ask : asked) {
            Policy policy = ask.charge().policy();
            boolean takes = allowed && takes(ask, reply, at);
            if (takes) {
                charged.add(ask);
            }
            (policy.mode() == Mode.ENFORCE ? enforced : shadows).add(decided(ask, reply, at, takes, id, source));
            at += policy.limits().size() * LimitRule.WIDTH;
        }
        return new Outcome(enforced, shadows, leases.hold(charged, id, source));
    }

    /** The most common case: one policy. */
    private static Outcome ofOne(List<KeyedCharge> asked, boolean allowed, long[] reply, long id, Source source,
            LeaseRenewal leases) {
        KeyedCharge ask = asked.get(0);
        Policy policy = ask.charge().policy();
        boolean takes = allowed && takes(ask, reply, LimitRule.FIRST);
        List<PolicyDecision> decided = List.of(decided(ask, reply, LimitRule.FIRST, takes, id, source));
        Lease lease = takes ? leases.hold(asked, id, source) : Lease.NONE;
        return policy.mode() == Mode.ENFORCE ? new Outcome(decided, List.of(), lease) : new Outcome(List.of(), decided, lease);
    }

    private static boolean takes(KeyedCharge ask, long[] reply, int at) {
        return ask.charge().call().manner() != OperationKind.PEEK
                && StoreRequest.allows(reply, at, ask.charge().policy().limits().size());
    }

    private static PolicyDecision decided(KeyedCharge ask, long[] reply, int at, boolean charged, long id, Source source) {
        Policy policy = ask.charge().policy();
        return new PolicyDecision(policy, decision(ask, reply, at, charged, id, source),
                new Projection(policy.limits(), ask.charge().call(), reply, at, charged), System.nanoTime());
    }

    private static Decision decision(KeyedCharge ask, long[] reply, int at, boolean charged, long id, Source source) {
        Call call = ask.charge().call();
        Policy policy = ask.charge().policy();
        List<LimitState> states = states(ask, reply, at, charged);
        boolean allowed = true;
        long remaining = Long.MAX_VALUE;
        Duration delay = Duration.ZERO;
        Duration reset = Duration.ZERO;
        for (int i = 0; i < states.size(); i++) {
            LimitState state = states.get(i);
            allowed &= state.allowed();
            remaining = Math.min(remaining, state.remaining());
            delay = longer(state.delay(), delay);
            reset = longer(state.resetAfter(), reset);
        }
        LimitState speaker = DeterminingLimit.of(states);
        long granted = !charged ? 0 : call.manner() == OperationKind.UP_TO ? reply[at] : call.cost();
        return new Decision(policy.name(), speaker.limit(), ask.caller(), allowed, speaker.permits(), remaining, granted, delay,
                speaker.retryAfter(), reset, source, states, allowed ? null : reason(speaker), time(reply[0]), id);
    }

    private static DenialReason reason(LimitState denying) {
        return denying.retryAfter().isZero() ? DenialReason.COST_ABOVE_CAPACITY : DenialReason.LIMIT_REACHED;
    }

    private static List<LimitState> states(KeyedCharge ask, long[] reply, int at, boolean charged) {
        List<PolicyLimit> limits = ask.charge().policy().limits();
        Call call = ask.charge().call();
        if (limits.size() == 1) {
            return List.of(state(limits.get(0), reply, at, call, charged));
        }
        List<LimitState> states = new ArrayList<>(limits.size());
        for (PolicyLimit limit : limits) {
            states.add(state(limit, reply, at + states.size() * LimitRule.WIDTH, call, charged));
        }
        return states;
    }

    private static LimitState state(PolicyLimit limit, long[] reply, int at, Call call, boolean charged) {
        return limit.rule().state(limit.name(), reply, at, reply[0], call, charged);
    }

    /** Does the same as {@link Instant#plus(long, java.time.temporal.TemporalUnit)}, but faster. */
    private static Instant time(long micros) {
        return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1_000);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Denies a call that cannot be charged to a caller: a part of the key is missing. */
    static PolicyDecision withoutCaller(Charge charge) {
        return new PolicyDecision(charge.policy(),
                uncounted(charge, "", Duration.ZERO, Source.REDIS, DenialReason.MISSING_KEY));
    }

    /** Allows or denies a call without counting it, as Redis is unavailable. */
    static PolicyDecision whenUnavailable(KeyedCharge ask, boolean allowed) {
        return new PolicyDecision(ask.charge().policy(),
                uncounted(ask.charge(), ask.caller(), allowed ? Duration.ZERO : RETRY_WHEN_UNAVAILABLE, Source.FALLBACK,
                        allowed ? null : DenialReason.REDIS_UNAVAILABLE));
    }

    private static Decision uncounted(Charge charge, String caller, Duration retryAfter, Source source,
            DenialReason reason) {
        boolean allowed = reason == null;
        Policy policy = charge.policy();
        PolicyLimit first = policy.limits().get(0);
        long granted = allowed && charge.call().manner() != OperationKind.PEEK ? charge.call().cost() : 0;
        return new Decision(policy.name(), first.name(), caller, allowed, first.limit().burst(), 0, granted, Duration.ZERO,
                retryAfter, Duration.ZERO, source, List.of(), reason, Instant.EPOCH, 0);
    }
}
