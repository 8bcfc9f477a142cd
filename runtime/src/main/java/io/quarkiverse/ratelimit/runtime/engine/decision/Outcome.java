package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Holds the decisions for one call.
 *
 * @param decisions of the enforced policies, without those that did not apply to the call; in the fallback, those that
 *        {@code on-redis-failure} decided without a count come last
 * @param shadows the decisions of policies in shadow mode
 * @param lease the permits that the call holds while it runs; must be released when the call ends
 */
public record Outcome(List<Decision> decisions, List<Decision> shadows, Lease lease) {

    @FunctionalInterface
    public interface CallStore {

        /** Decides a call. Each subscription sends its request once. A failure means that the store cannot decide. */
        Uni<Outcome> decide(Call call, Deadline deadline);
    }

    /** Holds the permits of a call while it runs. */
    public interface Lease {

        Lease NONE = () -> Uni.createFrom().voidItem();

        /**
         * Releases the permits now, even without a subscriber. Repeated calls have no effect. Completes when the store has
         * replied, or after a second; then the release is retried in the background.
         */
        Uni<Void> release();

        /**
         * Confirms that this lease will be released. A lease without this confirmation, as its call was canceled too
         * early, is released instead of renewed.
         *
         * @param ended called before each renewal; the lease is released when it returns {@code true}
         */
        default void confirm(BooleanSupplier ended) {
        }

        /** Confirms that this lease will be released. */
        default Lease confirm() {
            confirm(() -> false);
            return this;
        }
    }

    public static final Outcome NOT_LIMITED = new Outcome(List.of());

    public Outcome(List<Decision> decisions) {
        this(decisions, List.of(), Lease.NONE);
    }

    public static Outcome of(Call call, StoreReply reply, Source source) {
        boolean allowed = call.request().allowedBy(reply);
        List<Decision> enforced = new ArrayList<>(call.charges().size());
        List<Decision> shadows = new ArrayList<>(0);
        for (KeyedCharge keyed : call.charges()) {
            (keyed.charge().shadow ? shadows : enforced).add(Decision.of(keyed, reply, allowed, source, call.id()));
        }
        return new Outcome(List.copyOf(enforced), List.copyOf(shadows), Lease.NONE);
    }

    /** The same outcome for a call that holds these permits while it runs. */
    public Outcome holding(Lease held) {
        return new Outcome(decisions, shadows, held);
    }

    /** The decisions of both, for a call that is decided in parts. The parts have no leases yet. */
    public Outcome and(Outcome other) {
        return new Outcome(Stream.of(decisions, other.decisions).flatMap(List::stream).toList(),
                Stream.of(shadows, other.shadows).flatMap(List::stream).toList(), lease);
    }

    /** The outcome of a call that is not charged in the end, as another part of it is denied. */
    public Outcome uncharged() {
        return with(Decision::uncharged).holding(Lease.NONE);
    }

    /** The outcome of a call that gets permits which were prefetched this many microseconds ago. */
    public Outcome prefetched(long micros) {
        return with(decision -> decision.by(Source.PREFETCHED, micros));
    }

    /** The same outcome with the states of all limits this many microseconds later, if no other call is counted meanwhile. */
    public Outcome after(long micros) {
        return with(decision -> decision.later(micros));
    }

    /** The same outcome after the delay of its call. */
    public Outcome afterDelay() {
        Duration delay = delay();
        return delay.isZero() ? this : after(LimitUsage.micros(delay));
    }

    public Duration delay() {
        Duration delay = Duration.ZERO;
        for (Decision decision : decisions) {
            delay = LimitUsage.longer(decision.delay(), delay);
        }
        return delay;
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

    /** A new exception for a denied call; {@code null} when the call is allowed. */
    public RateLimitException newDenial() {
        return isDenied() ? RateLimitException.of(worstDenial()) : null;
    }

    /** Whether the charge counts only for some statuses of the response. */
    public boolean countsByStatus() {
        for (Decision decision : all()) {
            if (decision.appliedPolicy().countWhen() != Statuses.ALL) {
                return true;
            }
        }
        return false;
    }

    /** The decisions of all enforced and shadow policies. */
    public List<Decision> all() {
        if (shadows.isEmpty()) {
            return decisions;
        }
        List<Decision> all = new ArrayList<>(decisions);
        all.addAll(shadows);
        return all;
    }

    /**
     * The denial that a call gets where several policies deny it: one that waiting cannot change; otherwise the one with the
     * longest wait. A denial because Redis is unavailable comes last.
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

    /** The last decisions for a request that is decided twice, as by a route and its method. For headers: without shadows. */
    public Outcome followedBy(Outcome later) {
        Map<String, Decision> last = new LinkedHashMap<>();
        Stream.of(decisions, later.decisions).flatMap(List::stream).forEach(decision -> {
            last.remove(decision.policy());
            last.put(decision.policy(), decision);
        });
        return new Outcome(List.copyOf(last.values()));
    }
}
