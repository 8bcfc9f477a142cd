package io.quarkiverse.ratelimit.runtime.web;

import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.Decision;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Refunds;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.vertx.ext.web.RoutingContext;

/** Applies outcomes to the response of a request. */
public final class RequestDecisions {

    private final Refunds refunds;
    private final ResponseHeaders headers;
    private final Settings settings;

    RequestDecisions(Refunds refunds, ResponseHeaders headers, Settings settings) {
        this.refunds = refunds;
        this.headers = headers;
        this.settings = settings;
    }

    /**
     * Writes the headers for an outcome, and prepares the denial or the settlement.
     *
     * @param denial {@code null} where the request is allowed
     */
    public void decided(Outcome outcome, RateLimitException denial, RoutingContext routing, WorkEnd end) {
        Outcome earlier = headers.write(outcome, routing);
        if (denial != null) {
            DeniedRequest.remember(routing, outcome, denial);
            if (earlier != null) {
                refunds.refundPart(earlier, outcome);
            }
        } else {
            countByStatus(outcome, routing, end);
        }
    }

    /**
     * Counts the call only if the request ends with one of the statuses for which its policies count. The same status
     * settles the earlier calls of the request.
     */
    void countByStatus(Outcome outcome, RoutingContext routing, WorkEnd end) {
        Settlement settlement = Settlement.of(routing);
        if (outcome.countsByStatus()) {
            if (settlement == null) {
                settlement = Settlement.begin(routing, refunds);
            }
            settlement.add(outcome);
        }
        if (settlement != null) {
            settlement.observe(end);
        }
    }

    /** The response to a request that a denial has failed: of the request itself, or of a bean call within it. */
    DenialResponse response(RateLimitException denial, RoutingContext routing) {
        return DenialResponse.of(denial, outcomeOf(denial, routing));
    }

    /**
     * Returns the outcome of a denied request. For a denied bean call, creates an outcome and writes its headers. For a
     * denial by anything else, returns an empty outcome.
     */
    private Outcome outcomeOf(RateLimitException denial, RoutingContext routing) {
        Outcome outcome = DeniedRequest.outcomeOf(routing, denial);
        if (outcome == null) {
            RateLimitDecision decision = denial.decision();
            Policy policy = settings.policies().get(decision.policy());
            if (policy == null) {
                return Outcome.NOT_LIMITED;
            }
            outcome = new Outcome(
                    List.of(Decision.of(decision, asApplied(policy, decision))));
            headers.write(outcome, routing);
        }
        return outcome;
    }

    /** The policy as applied: its limits may have been overridden, or divided among instances. */
    private static Policy asApplied(Policy policy, RateLimitDecision decision) {
        return decision.limits().isEmpty() ? policy
                : policy.withLimits(
                        decision.limits().stream().map(state -> new PolicyLimit(state.limit(), state.definition())).toList());
    }
}
