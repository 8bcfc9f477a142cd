package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin.KeyAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Serves the playground: calls the limiters of policies as code would, and describes the results. */
@Singleton
public class Playground {

    private static final Duration MAX_WAIT = Duration.ofSeconds(30);
    private static final int MAX_RESERVATIONS = 1_000;

    private final RateLimiters limiters;
    private final ReactiveRateLimitAdmin admin;
    private final Settings settings;
    private final PolicyReferences references;
    private final Timers timers;
    private final Deque<RefundableCall> reservations = new ConcurrentLinkedDeque<>();

    Playground(RateLimiters limiters, ReactiveRateLimitAdmin admin, Settings settings, PolicyReferences references,
            Vertx vertx) {
        this.timers = new Timers(vertx);
        this.limiters = limiters;
        this.admin = admin;
        this.settings = settings;
        this.references = references;
    }

    /** The policies, with the labels of their keys and their limits. */
    public List<Choice> choices() {
        return settings.policies().values().stream()
                .map(policy -> new Choice(policy.name(), fields(policy).labels(), ShownLimit.of(policy.limits()))).toList();
    }

    public Uni<PlaygroundReply> peek(String policy, List<String> key) {
        return reply(policy, key, (limiter, values) -> peek(limiter));
    }

    /** Acquires permits. A concurrency limit holds them until {@link #refund} releases them. */
    public Uni<PlaygroundReply> acquire(String policy, List<String> key, String cost) {
        return reply(policy, key, (limiter, values) -> timers
                .within(MAX_WAIT, limiter.reserve(LimitForm.whole("The cost", cost)))
                .onFailure(TimeoutException.class).transform(late -> new IllegalStateException(
                        "The call would be delayed by more than " + Notation.wait(MAX_WAIT) + ", so it was canceled."))
                .map(reservation -> remember(new RefundableCall(limiter, values, reservation))));
    }

    /** Refunds or releases the most recently acquired permits. */
    public Uni<PlaygroundReply> refund() {
        return orFailure(() -> {
            RefundableCall last = reservations.poll();
            if (last == null) {
                throw new IllegalStateException("There is nothing to refund. Acquire permits first.");
            }
            return last.reservation.cancel().chain(() -> peek(last.limiter))
                    .map(now -> now.after("Refunded " + last.reservation.decision().granted() + " to "
                            + String.join(", ", last.values) + '.'));
        });
    }

    public Uni<PlaygroundReply> reset(String policy, List<String> key) {
        return reply(policy, key, (limiter, values) -> limiter.reset().chain(() -> peek(limiter))
                .map(now -> now.after("Reset this caller.")));
    }

    /** Overrides a limit for this caller. Empty fields keep the current values. */
    public Uni<PlaygroundReply> override(String policy, List<String> key, String limit, String permits, String period,
            String burst,
            String duration) {
        return reply(policy, key, (limiter, values) -> limits(policy, values).chain(limits -> {
            Limit changed = new LimitForm(permits, period, burst).applyTo(limits.get(limit));
            Duration time = LimitForm.duration("The duration", duration);
            return admin(policy, values).override(Map.of(limit, changed), time).chain(() -> peek(limiter))
                    .map(now -> now.after("Override for this caller for " + Notation.wait(time) + ": "
                            + Notation.of(changed) + '.'));
        }));
    }

    public Uni<PlaygroundReply> removeOverride(String policy, List<String> key) {
        return reply(policy, key, (limiter, values) -> admin(policy, values).removeOverride()
                .chain(() -> peek(limiter)).map(now -> now.after("Removed the override of this caller.")));
    }

    /** The limits in force for a caller, or those for all where the caller's plan is unlimited. */
    private Uni<Map<String, Limit>> limits(String policy, List<String> values) {
        return admin(policy, values).limits()
                .chain(own -> own.isEmpty() ? admin.policy(policy).limits() : Uni.createFrom().item(own));
    }

    private KeyAdmin admin(String policy, List<String> values) {
        return admin.policy(policy).forKey(values.toArray(String[]::new));
    }

    private Uni<PlaygroundReply> reply(String policy, List<String> key,
            BiFunction<ReactiveRateLimiter, List<String>, Uni<PlaygroundReply>> operation) {
        return orFailure(() -> {
            RateLimiter limiter = limiters.get(policy);
            String[] values = fields(settings.policies().get(policy)).caller(key);
            return operation.apply(limiter.forKey(values).reactive(), List.of(values));
        });
    }

    /** Converts a failure to a reply. Otherwise the Dev UI would log it as its own failure. */
    private static Uni<PlaygroundReply> orFailure(Supplier<Uni<PlaygroundReply>> operation) {
        return Uni.createFrom().<PlaygroundReply> deferred(operation::get).onFailure().recoverWithItem(PlaygroundReply::of);
    }

    private static Uni<PlaygroundReply> peek(ReactiveRateLimiter limiter) {
        return limiter.peek().map(PlaygroundReply::ofPeek);
    }

    private PlaygroundReply remember(RefundableCall call) {
        if (call.reservation.decision().allowed()) {
            reservations.push(call);
            if (reservations.size() > MAX_RESERVATIONS) {
                reservations.pollLast();
            }
        }
        return PlaygroundReply.ofCall(call.reservation.decision());
    }

    private KeyFields fields(Policy policy) {
        return KeyFields.of(policy, references.keyArguments(policy.name()));
    }

    /** @param key the labels of the key's values */
    public record Choice(String policy, List<String> key, List<ShownLimit> limits) {
    }

    private record RefundableCall(ReactiveRateLimiter limiter, List<String> values, ReactiveRateLimitReservation reservation) {
    }
}
