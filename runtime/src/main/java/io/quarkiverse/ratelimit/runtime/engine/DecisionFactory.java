package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** Turns the reply of a store into an outcome: one decision per policy. */
final class DecisionFactory {

    private final StoreRequest request;
    private final StoreReply reply;
    private final Source source;
    private final long nanoTime;

    DecisionFactory(StoreRequest request, StoreReply reply, Source source) {
        this.request = request;
        this.reply = reply;
        this.source = reply.prefetchedAt() == null ? source : Source.PREFETCHED;
        this.nanoTime = reply.prefetchedAt() == null ? System.nanoTime() : reply.prefetchedAt();
    }

    Outcome outcome(LeaseRenewal leases) {
        return outcome(request.allowedBy(reply), leases);
    }

    /** The outcome of a call that is not charged in the end, as another part of it is denied. */
    Outcome unchargedOutcome() {
        return outcome(false, null);
    }

    private Outcome outcome(boolean allowed, LeaseRenewal leases) {
        List<Decision> enforced = new ArrayList<>(request.policies().size());
        List<Decision> shadows = new ArrayList<>(0);
        List<PolicyRequest> leased = List.of();
        int first = 0;
        for (int i = 0; i < request.policies().size(); i++) {
            PolicyRequest policy = request.policies().get(i);
            int count = policy.operations().size();
            // a shadow policy that would deny the call is not charged
            boolean charged = allowed && policy.call().kind() != OperationKind.PEEK && reply.allows(first, count);
            if (charged && policy.charge().holdsPermits()) {
                leased = leased.isEmpty() ? new ArrayList<>(request.policies().size()) : leased;
                leased.add(policy);
            }
            (policy.policy().mode() == Mode.ENFORCE ? enforced : shadows).add(decision(policy, first, charged));
            first += count;
        }
        return new Outcome(enforced, shadows,
                leased.isEmpty() ? Lease.NONE : leases.hold(leased, request.id(), source));
    }

    private Decision decision(PolicyRequest policy, int first, boolean charged) {
        Duration blockedFor = charged ? Duration.ZERO : reply.blockedFor(first + policy.operations().size() - 1);
        Projection projection = new Projection(policy, reply, first, charged, nanoTime);
        long age = source == Source.PREFETCHED ? (System.nanoTime() - nanoTime) / 1_000 : 0;
        List<LimitState> states = age == 0 ? projection.states() : projection.unrefilledAfter(age);
        states = blockedFor.isZero() ? states : blocked(states, blockedFor);
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
        LimitState determining = states.size() == 1 ? states.get(0) : DeterminingLimit.of(states);
        PermitRequest call = policy.call();
        long granted = !charged ? 0
                : call.kind() == OperationKind.ACQUIRE_UP_TO ? reply.limits().get(first).granted() : call.cost();
        return new Decision(policy.policy(), determining.limit(), policy.caller(), allowed, determining.permits(), remaining,
                granted, delay, determining.retryAfter(), reset, source, states,
                allowed ? null : reason(determining, blockedFor),
                Instant.EPOCH.plus(reply.time() + age, ChronoUnit.MICROS), request.id(), projection);
    }

    private static DenialReason reason(LimitState denying, Duration blockedFor) {
        return denying.retryAfter().isZero() ? DenialReason.COST_ABOVE_CAPACITY
                : blockedFor.isZero() ? DenialReason.LIMIT_REACHED : DenialReason.BLOCKED;
    }

    private static List<LimitState> blocked(List<LimitState> states, Duration time) {
        return states.stream().<LimitState> map(state -> LimitUsage.blocked(state, time)).toList();
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
