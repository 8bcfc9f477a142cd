package io.quarkiverse.ratelimit.runtime.engine.call;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.smallrye.mutiny.Uni;

/**
 * Holds the decisions for one call.
 *
 * @param decisions of the enforced policies, without those that did not apply to the call; in the fallback, those that
 *        {@code on-redis-failure} decided without a count come last
 * @param shadows decisions of policies in shadow mode
 * @param lease permits that the call holds while it runs; must be released when the call ends
 */
public record Outcome(List<Decision> decisions, List<Decision> shadows, Lease lease) {

    /** Holds the permits of a call while it runs. */
    public interface Lease {

        Lease NONE = () -> Uni.createFrom().voidItem();

        /**
         * Releases the permits now, even without a subscriber. Repeated calls have no effect. Completes when the store has
         * replied, or after a second; then the release is retried in the background.
         */
        Uni<Void> release();

        /**
         * Lets this lease be renewed until the call ends. Without this, it is released at its first renewal, because nobody
         * has received the outcome.
         *
         * @param ended called before each renewal; the lease is released when it returns {@code true}
         */
        default void confirm(BooleanSupplier ended) {
        }

        /** Lets this lease be renewed until it is released. */
        default Lease confirm() {
            confirm(() -> false);
            return this;
        }
    }

    public static final Outcome NOT_LIMITED = new Outcome(List.of());

    public Outcome(List<Decision> decisions) {
        this(decisions, List.of(), Lease.NONE);
    }

    /** @param age how many microseconds ago the store replied */
    public static Outcome of(Call call, StoreReply reply, Source source, long age) {
        if (call.request().overflows()) {
            return new OverflowReply(call, reply, source, Map.of()).outcome(call.charges());
        }
        boolean allowed = call.request().allowedBy(reply);
        List<Decision> enforced = new ArrayList<>(call.charges().size());
        List<Decision> shadows = new ArrayList<>(0);
        int first = 0;
        for (KeyedCharge keyed : call.charges()) {
            (keyed.charge().shadow() ? shadows : enforced)
                    .add(Decision.of(keyed, reply, first, allowed, source, call.id(), age));
            first += keyed.charge().storedNames().size();
        }
        return new Outcome(List.copyOf(enforced), List.copyOf(shadows), Lease.NONE);
    }

    /** Returns the same outcome for a call that holds these permits while it runs. */
    public Outcome holding(Lease held) {
        return new Outcome(decisions, shadows, held);
    }

    /** Joins the decisions of both, for a call that is decided in parts. The parts have no leases yet. */
    public Outcome and(Outcome other) {
        return new Outcome(Stream.of(decisions, other.decisions).flatMap(List::stream).toList(),
                Stream.of(shadows, other.shadows).flatMap(List::stream).toList(), lease);
    }

    /** Returns the outcome of a call that is not charged in the end, as another part of it is denied. */
    public Outcome uncharged() {
        return with(Decision::uncharged);
    }

    /** Returns the same outcome with all states this many microseconds later, if no other call is counted meanwhile. */
    public Outcome after(long micros) {
        return with(decision -> decision.later(micros));
    }

    /** Returns the same outcome after the delay of its call. */
    public Outcome afterDelay() {
        Duration delay = delay();
        return delay.isZero() ? this : after(LimitUsage.micros(delay));
    }

    public Duration delay() {
        return LimitUsage.longest(decisions, Decision::delay);
    }

    private Outcome with(UnaryOperator<Decision> change) {
        List<Decision> enforced = new ArrayList<>(decisions), others = new ArrayList<>(shadows);
        enforced.replaceAll(change);
        others.replaceAll(change);
        return new Outcome(enforced, others, lease);
    }

    public boolean isDenied() {
        for (int i = 0; i < decisions.size(); i++) {
            if (!decisions.get(i).allowed()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a policy that was asked first is blocked, so that none of its overflows was asked. */
    public boolean isBlocked() {
        return decisions.stream().anyMatch(decision -> decision.firstAsked().reason() == DenialReason.BLOCKED);
    }

    /** Creates an exception for a denied call; returns {@code null} when the call is allowed. */
    public RateLimitException newDenial() {
        return isDenied() ? RateLimitException.of(worstDenial()) : null;
    }

    /** Returns whether the charge counts only for some statuses of the response. */
    public boolean countsByStatus() {
        for (Decision decision : all()) {
            if (decision.appliedPolicy().countWhen() != Statuses.ALL) {
                return true;
            }
        }
        return false;
    }

    /** Returns the decisions of all enforced and shadow policies. */
    public List<Decision> all() {
        if (shadows.isEmpty()) {
            return decisions;
        }
        List<Decision> all = new ArrayList<>(decisions);
        all.addAll(shadows);
        return all;
    }

    /** Returns the decisions of the policies whose keys a called service may pause: also those that were asked first. */
    public List<Decision> obeying() {
        List<Decision> obeying = new ArrayList<>(all());
        for (Decision decision : all()) {
            if (decision.firstAsked() != decision) {
                obeying.add(decision.firstAsked());
            }
        }
        return obeying;
    }

    /**
     * Returns the denial that a call gets where several policies deny it: one that waiting cannot change; otherwise the one
     * with the longest wait. A denial because Redis is unavailable comes last.
     */
    Decision worstDenial() {
        Decision worst = null;
        for (Decision decision : decisions) {
            if (!decision.allowed() && (worst == null || waitOf(decision).compareTo(waitOf(worst)) > 0)) {
                worst = decision;
            }
        }
        return worst;
    }

    private static Duration waitOf(Decision denial) {
        return denial.reason() == DenialReason.REDIS_UNAVAILABLE ? Duration.ZERO
                : denial.neverAllowed() ? ChronoUnit.FOREVER.getDuration() : denial.retryAfter();
    }

    /** Returns the same outcome with a longer wait of the denial that the call gets. */
    public Outcome withLongerWait(Duration jitter) {
        Decision denial = jitter.isZero() ? null : worstDenial();
        return denial == null ? this : with(decision -> decision == denial ? decision.withLongerWait(jitter) : decision);
    }

    /** Returns the outcome of a settled reservation, which has acquired this many permits in the end. */
    public Outcome settled(long actual) {
        return with(decision -> decision.settled(actual));
    }

    /**
     * Returns the decision that code gets of a call with one policy: a policy in shadow mode allows every call. {@code null} if
     * no policy has decided.
     */
    public Decision ofCode() {
        return !decisions.isEmpty() ? decisions.get(0) : shadows.isEmpty() ? null : shadows.get(0).inShadow();
    }

    /**
     * Returns the last decisions, without shadows, for a request that is decided twice: by a route and its method. An earlier
     * one stays if it shows a policy that is not decided again.
     */
    public Outcome followedBy(Outcome later) {
        List<Decision> last = new ArrayList<>(decisions);
        last.removeIf(earlier -> policies(later.decisions).containsAll(policies(List.of(earlier))));
        last.addAll(later.decisions);
        return new Outcome(List.copyOf(last));
    }

    /** Returns the names of all policies that were asked. */
    private static Set<String> policies(List<Decision> decisions) {
        return decisions.stream().flatMap(decision -> decision.asked().stream()).map(Decision::policy)
                .collect(Collectors.toSet());
    }
}
