package io.quarkiverse.ratelimit.runtime.entry.http;

import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import jakarta.inject.Singleton;

import org.jboss.logging.Logger.Level;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.address.CallerAddresses;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.entry.denial.Denial;
import io.quarkiverse.ratelimit.runtime.entry.http.ResponseHeaders.HeaderContent;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/**
 * Keeps what the limiter knows of one HTTP request: its caller, the work that serves it, and the decisions for it, which it
 * applies to the response. Permits, refunds by status and delays end with its {@link RequestProgress}.
 */
public final class LimitedRequest implements CurrentRequest {

    /** Key of a limited request in its {@link RoutingContext}. */
    public static final String KEY = LimitedRequest.class.getName();

    private final RoutingContext routing;
    private final Shared shared;
    private final HttpCaller caller;
    private volatile Work work;
    /** {@code null} before the first decision, and when its headers are written. */
    private volatile HeaderContent content;
    /** {@code null} while nothing depends on the end of the request. */
    private volatile RequestProgress progress;
    private volatile DeniedRequest denied;
    /** Routes that have decided the request; {@code null} for none. */
    private Set<RoutePaths> routes;

    private LimitedRequest(RoutingContext routing, Work work, Shared shared) {
        this.routing = routing;
        this.shared = shared;
        this.work = work;
        this.caller = new HttpCaller(routing, shared.addresses, this::pathParameter);
    }

    /** Returns the limited request, which is created with the first call. This work serves it, unless it is unknown. */
    public static LimitedRequest of(RoutingContext routing, Work work, Shared shared) {
        LimitedRequest request = routing.get(KEY);
        if (request == null) {
            request = new LimitedRequest(routing, work, shared);
            routing.put(KEY, request);
        } else if (work != Work.UNKNOWN) {
            request.servedBy(work);
        }
        return request;
    }

    /** Connects the request to the work that serves it. */
    public void servedBy(Work known) {
        work = known;
        if (progress != null) {
            progress.serve(known);
        }
    }

    @Override
    public HttpCaller caller() {
        return caller;
    }

    private String pathParameter(String name) {
        return work == Work.UNKNOWN ? routing.pathParam(name) : work.pathParameter(name);
    }

    /** Records that these routes decide the request, and returns those that have not decided it before. */
    List<RoutePaths> decideBy(List<RoutePaths> matched) {
        routes = routes == null ? new HashSet<>() : routes;
        return matched.stream().filter(routes::add).toList();
    }

    /**
     * Waits for a decision. If it may be delayed, it is canceled when the request ends, and fails with
     * {@link Work#clientHasLeft}.
     */
    @Override
    public Uni<Outcome> whileClientWaits(Uni<Outcome> decision, CallRules rules) {
        return !shared.engine.mayDelay(rules) ? decision : Uni.createFrom().deferred(() -> {
            CompletableFuture<Outcome> outcome = decision.subscribeAsCompletionStage();
            progress().onEnd(() -> outcome.cancel(true));
            return Uni.createFrom().completionStage(outcome)
                    .onFailure(CancellationException.class).transform(canceled -> {
                        progress.refunds.refundUnserved();
                        return work.clientHasLeft();
                    });
        });
    }

    /**
     * Writes the headers for an outcome when the response begins, and prepares the denial or the refund by status.
     *
     * @param denial the exception with which the request fails, which identifies the denial; {@code null} if it is allowed
     * @return the denial, or {@link Work#clientHasLeft}; {@code null} if the request may go ahead
     */
    @Override
    public RuntimeException apply(Outcome outcome, RateLimitException denial) {
        try {
            content = shared.headers.content(content, denial == null ? outcome : deny(outcome, denial), routing);
            writeWhenResponseBegins();
            if (denial != null || !outcome.countsByStatus() && progress == null) {
                return denial;
            }
            return progress().refundIfClientLeft(outcome) ? work.clientHasLeft() : null;
        } catch (RuntimeException e) {
            outcome.lease().release();
            shared.failures.failed(e);
            throw e;
        }
    }

    /** Writes the headers after those of the application, or of an upstream behind it. */
    private void writeWhenResponseBegins() {
        Work writer = work;
        routing.addHeadersEndHandler(responseBegins -> {
            // only the last of several decisions writes
            if (content != null) {
                writer.writeHeaders();
                shared.headers.write(content, routing.response().headers());
                content = null;
            }
        });
    }

    @Override
    public boolean refundByStatusAtEnd(Outcome outcome) {
        if (outcome.countsByStatus()) {
            progress().refunds.add(outcome);
        }
        return true;
    }

    /** Holds the permits of an allowed request until its work has ended. */
    public void hold(Lease lease) {
        if (lease != Lease.NONE) {
            progress().hold(lease);
        }
    }

    @Override
    public Lease whileServed(Lease lease) {
        return lease == Lease.NONE ? lease : progress().holdAfterCall(lease);
    }

    private RequestProgress progress() {
        if (progress == null) {
            // without the lock of this, as it takes that of the connection
            RequestProgress created = new RequestProgress(routing, work, shared.refunds);
            synchronized (this) {
                progress = progress == null ? created : progress;
            }
        }
        return progress;
    }

    /** Returns whether the work may begin. */
    public boolean begin() {
        return progress == null || progress.begin();
    }

    /** The denial as its caller gets it: that of the request, or of a bean call within it. */
    private record DeniedRequest(RateLimitException exception, Denial denial, Outcome outcome) {
    }

    /** Draws the jitter of the response, and returns the outcome with it. */
    private Outcome deny(Outcome outcome, RateLimitException exception) {
        denied = new DeniedRequest(exception, Denial.of(exception), outcome);
        return outcome.withLongerWait(denied.denial.jitter());
    }

    /** Returns the response to a denied request, or to one within which a bean call was denied. */
    DenialResponse response(RateLimitException denial) {
        if (denied == null || denied.exception != denial) {
            apply(outcomeOf(denial.decision()), denial);
        }
        return DenialResponse.of(denied.denial, denial.decision().policy(), denied.outcome);
    }

    /**
     * Returns the outcome of a denied bean call. It has no decisions, and so no headers, unless a configured policy has denied
     * it.
     */
    private Outcome outcomeOf(RateLimitDecision denial) {
        return denial instanceof Decision decision && shared.settings.policies().containsKey(decision.policy())
                ? new Outcome(List.of(decision))
                : Outcome.NOT_LIMITED;
    }

    /** Listens to the response again, as Vert.x removes all handlers of its headers and its body when a request is rerouted. */
    void rerouted() {
        work = Work.UNKNOWN;
        writeWhenResponseBegins();
        if (progress != null) {
            progress.listenToResponse();
        }
    }

    /** What all limited requests share. */
    @Singleton
    public static final class Shared {

        private final CallerAddresses addresses;
        private final Engine engine;
        private final Refunds refunds;
        private final Settings settings;
        private final ResponseHeaders headers;
        private final FailureLog failures = new FailureLog(Level.ERROR, "Decisions could not be applied to requests");

        Shared(CallerAddresses addresses, Engine engine, Refunds refunds, Settings settings) {
            this.addresses = addresses;
            this.engine = engine;
            this.refunds = refunds;
            this.settings = settings;
            this.headers = new ResponseHeaders(settings, Clock.systemUTC());
        }
    }
}
