package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Manner;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.Question;

/** Turns a store's numbers into decisions. */
final class Decisions {

    private static final Duration RETRY_WHEN_AWAY = Duration.ofSeconds(1);

    private Decisions() {
    }

    /** What the store's answer means for every policy that was asked. */
    static Outcome of(List<Asked> asked, Question question, long[] reply, long id, Source source, Leases leases) {
        return of(asked, question.admitted(reply), reply, id, source, leases);
    }

    /** What it means where nothing is charged in the end, as another part of the call is refused. */
    static Outcome uncharged(List<Asked> asked, long[] reply, long id, Source source, Leases leases) {
        return of(asked, false, reply, id, source, leases);
    }

    private static Outcome of(List<Asked> asked, boolean admitted, long[] reply, long id, Source source, Leases leases) {
        if (asked.size() == 1) {
            return ofOne(asked, admitted, reply, id, source, leases);
        }
        List<Decided> enforced = new ArrayList<>(asked.size());
        List<Decided> shadows = new ArrayList<>(0);
        List<Asked> charged = new ArrayList<>(asked.size());
        int at = LimitRule.FIRST;
        for (Asked ask : asked) {
            Policy policy = ask.charge().policy();
            boolean takes = admitted && takes(ask, reply, at);
            if (takes) {
                charged.add(ask);
            }
            (policy.mode() == Mode.ENFORCE ? enforced : shadows).add(decided(ask, reply, at, takes, id, source));
            at += policy.limits().size() * LimitRule.WIDTH;
        }
        return new Outcome(enforced, shadows, leases.hold(charged, id, source));
    }

    /** By far the commonest: one policy. */
    private static Outcome ofOne(List<Asked> asked, boolean admitted, long[] reply, long id, Source source, Leases leases) {
        Asked ask = asked.get(0);
        Policy policy = ask.charge().policy();
        boolean takes = admitted && takes(ask, reply, LimitRule.FIRST);
        List<Decided> decided = List.of(decided(ask, reply, LimitRule.FIRST, takes, id, source));
        Lease lease = takes ? leases.hold(asked, id, source) : Lease.NONE;
        return policy.mode() == Mode.ENFORCE ? new Outcome(decided, List.of(), lease) : new Outcome(List.of(), decided, lease);
    }

    private static boolean takes(Asked ask, long[] reply, int at) {
        return ask.charge().call().manner() != Manner.PEEK
                && Question.admits(reply, at, ask.charge().policy().limits().size());
    }

    private static Decided decided(Asked ask, long[] reply, int at, boolean charged, long id, Source source) {
        Policy policy = ask.charge().policy();
        return new Decided(policy, decision(ask, reply, at, charged, id, source), false,
                new Projection(policy.limits(), ask.charge().call(), reply, at, charged), System.nanoTime());
    }

    private static RateLimitDecision decision(Asked ask, long[] reply, int at, boolean charged, long id, Source source) {
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
        LimitState speaker = Speaker.of(states);
        long granted = !charged ? 0 : call.manner() == Manner.UP_TO ? reply[at] : call.cost();
        return new RateLimitDecision(policy.name(), speaker.limit(), ask.caller(), allowed, speaker.permits(), remaining,
                granted, delay, speaker.retryAfter(), reset, source, states,
                time(reply[0]), id);
    }

    private static List<LimitState> states(Asked ask, long[] reply, int at, boolean charged) {
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

    /** As {@link Instant#plus(long, java.time.temporal.TemporalUnit)}, which takes longer to come to it. */
    private static Instant time(long micros) {
        return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1_000);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Refused as nobody can be charged: a part of the key is missing. */
    static Decided withoutCaller(Charge charge) {
        return new Decided(charge.policy(), uncounted(charge, "", false, Duration.ZERO, Source.REDIS), false);
    }

    /** Admitted or refused without counting, as Redis is away. */
    static Decided whenAway(Asked ask, boolean allowed) {
        return new Decided(ask.charge().policy(),
                uncounted(ask.charge(), ask.caller(), allowed, allowed ? Duration.ZERO : RETRY_WHEN_AWAY,
                        Source.FALLBACK),
                !allowed);
    }

    private static RateLimitDecision uncounted(Charge charge, String caller, boolean allowed, Duration retryAfter,
            Source source) {
        Policy policy = charge.policy();
        PolicyLimit first = policy.limits().get(0);
        long granted = allowed && charge.call().manner() != Manner.PEEK ? charge.call().cost() : 0;
        return new RateLimitDecision(policy.name(), first.name(), caller, allowed, first.limit().burst(), 0,
                granted, Duration.ZERO, retryAfter, Duration.ZERO, source, List.of(), Instant.EPOCH, 0);
    }
}
