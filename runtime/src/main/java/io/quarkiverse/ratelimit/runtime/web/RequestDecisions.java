package io.quarkiverse.ratelimit.runtime.web;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import jakarta.inject.Singleton;

import org.jboss.logging.Logger.Level;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Turns;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.vertx.ServedRequest;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/**
 * Waits for the decisions of requests, and applies their outcomes to the responses. It also responds to denials of bean calls
 * within a request.
 */
@Singleton
public final class RequestDecisions {

    private static final String DENIED = DeniedRequest.class.getName();

    private final FailureLog failures = new FailureLog(Level.ERROR, "Decisions could not be applied to requests");
    private final Engine engine;
    private final Refunds refunds;
    private final ResponseHeaders headers;
    private final Settings settings;
    private final Turns turns;

    RequestDecisions(Engine engine, Refunds refunds, Settings settings, Turns turns) {
        this.engine = engine;
        this.refunds = refunds;
        this.headers = new ResponseHeaders(settings, Clock.systemUTC());
        this.settings = settings;
        this.turns = turns;
    }

    /**
     * Waits for a decision. If it may be delayed, it is canceled when the client leaves, and then fails with
     * {@link Work#clientHasLeft}.
     */
    public Uni<Outcome> whileClientWaits(Uni<Outcome> decision, CallRules rules, RoutingContext routing, Work work) {
        return !engine.mayDelay(rules) ? decision : Uni.createFrom().deferred(() -> {
            CompletableFuture<Outcome> outcome = decision.subscribeAsCompletionStage();
            Runnable stopListening = () -> {
            };
            if (work.ownsResponse()) {
                stopListening = ServedRequest.onConnectionClosed(routing.request(), () -> outcome.cancel(true));
            } else {
                routing.addEndHandler(ended -> outcome.cancel(true));
            }
            return Uni.createFrom().completionStage(outcome).onTermination().invoke(stopListening)
                    .onFailure(CancellationException.class).transform(canceled -> {
                        StatusRefunds.of(routing).ifPresent(StatusRefunds::refundUnserved);
                        return work.clientHasLeft();
                    });
        });
    }

    /** Like {@link #apply}; an allowed request holds the permits of the outcome until its work has ended. */
    public boolean applyAndHold(Outcome outcome, RateLimitException denial, RoutingContext routing, Work work) {
        boolean left = apply(outcome, denial, routing, work);
        if (!left && denial == null && outcome.lease() != Lease.NONE) {
            ResponseLease.hold(outcome.lease(), routing, work);
        }
        return left;
    }

    /**
     * Writes the headers for an outcome, and prepares the denial or the refund by status.
     *
     * @param denial the exception with which the request fails, which identifies the denial; {@code null} if it is allowed
     * @param work its status decides whether the call counts, and its headers are written before those of the limiter
     * @return whether the client has left, so that the request was refunded and must be closed
     */
    boolean apply(Outcome outcome, RateLimitException denial, RoutingContext routing, Work work) {
        if (denial != null) {
            routing.put(DENIED, prepareDenial(outcome, denial, routing, work));
            return false;
        }
        headers.writeWhenResponseBegins(outcome, routing, work);
        StatusRefunds byStatus = refundByStatusAtEnd(outcome, routing, work);
        if (byStatus == null) {
            return false;
        }
        byStatus.markOfRequest(outcome);
        if (!routing.response().closed()) {
            byStatus.cancelWithClient(work, routing);
            return false;
        }
        byStatus.refundUnserved();
        outcome.lease().release();
        return true;
    }

    /**
     * Counts the call only if the request ends with one of the statuses for which its policies count. The same status
     * decides whether the earlier calls of the request count.
     *
     * @return {@code null} if nothing counts by the status
     */
    StatusRefunds refundByStatusAtEnd(Outcome outcome, RoutingContext routing, Work work) {
        boolean countsByStatus = outcome.countsByStatus();
        if (!countsByStatus && routing.get(StatusRefunds.KEY) == null) {
            return null;
        }
        StatusRefunds byStatus = StatusRefunds.attach(routing, refunds);
        if (countsByStatus) {
            byStatus.add(outcome);
        }
        byStatus.observe(work);
        return byStatus;
    }

    /** The denial of a request, and the one that its caller gets, which may have the time of a later turn. */
    private record DeniedRequest(RateLimitException denial, RateLimitException withTurn, Outcome outcome) {
    }

    /** Finds the turn of the caller, and lets the response have the headers of the denial. */
    private DeniedRequest prepareDenial(Outcome exact, RateLimitException denial, RoutingContext routing, Work work) {
        Outcome outcome = turns.withTurns(exact);
        headers.writeWhenResponseBegins(outcome, routing, work);
        return new DeniedRequest(denial, outcome == exact ? denial : outcome.newDenial(), outcome);
    }

    /** The response to a denied request, or to one within which a bean call was denied. */
    DenialResponse response(RateLimitException denial, RoutingContext routing, Work work) {
        DeniedRequest denied = routing.get(DENIED);
        if (denied == null || denied.denial != denial) {
            denied = prepareDenial(outcomeOf(denial.decision()), denial, routing, work);
        }
        return DenialResponse.of(denied.withTurn, denied.outcome);
    }

    /**
     * The outcome of a denied bean call; without decisions, and so without headers, unless a configured policy has denied it.
     */
    private Outcome outcomeOf(RateLimitDecision denial) {
        return denial instanceof Decision decision && settings.policies().containsKey(decision.policy())
                ? new Outcome(List.of(decision))
                : Outcome.NOT_LIMITED;
    }

    /** Listens to the response again, as Vert.x removes all handlers of its headers and its body when a request is rerouted. */
    void rerouted(RoutingContext routing) {
        headers.writeAgain(routing);
        StatusRefunds.of(routing).ifPresent(known -> known.listen(routing));
        ResponseLease.listenAgain(routing);
    }

    /** Logs that an outcome could not be applied, and releases its permits. */
    public void failed(Outcome outcome, Throwable failure) {
        outcome.lease().release();
        failures.failed(failure);
    }
}
