package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.PolicyCall;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/**
 * Holds the decisions for one call.
 *
 * @param decisions of the enforced policies, the counted ones first; without policies that did not apply to the call
 * @param shadows the decisions of policies in shadow mode
 * @param lease the permits that the call holds while it runs; must be released when the call ends
 */
public record Outcome(List<Decision> decisions, List<Decision> shadows, Lease lease) {

    /** Nothing limits the call. */
    public static final Outcome NOT_LIMITED = new Outcome(List.of());

    public Outcome {
        decisions = List.copyOf(decisions);
        shadows = List.copyOf(shadows);
    }

    public Outcome(List<Decision> decisions) {
        this(decisions, List.of(), Lease.NONE);
    }

    /** The outcome of a store's reply. The lease holds the permits of limits that count concurrent calls. */
    public static Outcome of(Call call, StoreReply reply, Source source, Lease lease) {
        return of(call, reply, source, call.request().allowedBy(reply), lease);
    }

    /** The outcome of a call that is not charged in the end, as another part of it is denied. */
    public static Outcome ofUncharged(Call call, StoreReply reply) {
        return of(call, reply, Source.REDIS, false, Lease.NONE);
    }

    private static Outcome of(Call call, StoreReply reply, Source source, boolean allowed, Lease lease) {
        List<Decision> enforced = new ArrayList<>(call.policies().size());
        List<Decision> shadows = new ArrayList<>(0);
        for (int i = 0; i < call.policies().size(); i++) {
            PolicyCall policy = call.policies().get(i);
            // a shadow policy that would deny the call is not charged
            boolean charged = allowed && policy.requested().kind() != OperationKind.PEEK && policy.allowedBy(reply);
            (policy.shadow() ? shadows : enforced)
                    .add(ReplyDetails.of(policy, reply, charged, source).decision(call.id()));
        }
        return new Outcome(enforced, shadows, lease);
    }

    /**
     * The same outcome with the states of all limits as they are now, if no other call was counted since.
     *
     * @param nanoTime now, by {@link System#nanoTime}
     */
    public Outcome at(long nanoTime) {
        for (Decision decision : decisions) {
            if (decision.isOutdated(nanoTime)) {
                return new Outcome(decisions.stream().map(each -> each.at(nanoTime)).toList(), shadows, lease);
            }
        }
        return this;
    }

    /** Whether the call is denied. */
    public boolean isDenied() {
        for (int i = 0; i < decisions.size(); i++) {
            if (!decisions.get(i).allowed()) {
                return true;
            }
        }
        return false;
    }

    /** The exception for a denied call; {@code null} when the call is allowed. */
    public RateLimitException denial() {
        return isDenied() ? RateLimitException.of(WorstDenial.of(decisions)) : null;
    }

    /** Whether the charge counts only for some statuses of the response. */
    public boolean countsByStatus() {
        for (Decision decision : decisions) {
            if (decision.appliedPolicy().countWhen() != Statuses.ALL) {
                return true;
            }
        }
        for (Decision decision : shadows) {
            if (decision.appliedPolicy().countWhen() != Statuses.ALL) {
                return true;
            }
        }
        return false;
    }

    /** The decisions of all enforced and shadow policies. */
    public List<Decision> all() {
        List<Decision> all = new ArrayList<>(decisions);
        all.addAll(shadows);
        return all;
    }
}
