package io.quarkiverse.ratelimit.runtime.entry.code;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;
import static io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext.keepOnEventLoop;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.Arguments;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.LimitsJson;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * Holds the permits that were acquired for one piece of work, until it is settled or canceled.
 *
 * @param shared whether other instances may end it
 */
record Reservation(PolicyOperations operations, Decision decision, Lease lease, AtomicBoolean shared,
        AtomicBoolean ended) implements ReactiveRateLimitReservation {

    private Reservation(PolicyOperations operations, Decision decision, Lease lease) {
        this(operations, decision, lease, new AtomicBoolean(), new AtomicBoolean());
    }

    /** Reserves permits. Nothing stays reserved if the subscriber cancels before it receives the reservation. */
    static Uni<ReactiveRateLimitReservation> reserve(PolicyOperations operations, LimiterCaller caller, long estimate) {
        return Uni.createFrom().deferred(() -> {
            CompletableFuture<Reservation> made = new CompletableFuture<>();
            return keepOnEventLoop(() -> reserved(operations, caller, estimate, made::isCancelled).invoke(reservation -> {
                if (!made.complete(reservation)) {
                    reservation.cancel().subscribeAsCompletionStage();
                }
            })).onCancellation().invoke(() -> {
                if (!made.cancel(false)) {
                    made.join().cancel().subscribeAsCompletionStage();
                }
            });
        });
    }

    /** @param canceled whether the subscriber has canceled */
    private static Uni<Reservation> reserved(PolicyOperations operations, LimiterCaller caller, long estimate,
            BooleanSupplier canceled) {
        PermitRequest requested = PermitRequest.of(Arguments.cost(estimate)).asRefundable();
        return caller.resolve(resolved -> {
            Policy inForce = operations.inForce(resolved);
            if (inForce == null) {
                return Uni.createFrom()
                        .item(new Reservation(operations, operations.uncounted(resolved, estimate), Lease.NONE));
            }
            if (estimate > inForce.maxCost()) {
                throw new IllegalArgumentException("Policy " + inForce.name() + " limits concurrency, of which one call can"
                        + " hold 1 to " + Limit.MAX_HELD_PERMITS + " permits, but the cost is " + estimate
                        + ". If a call holds one permit, whatever it costs, set counts=calls on that limit.");
            }
            return operations.parts.calls()
                    .decide(operations.charges(new Charge(inForce, requested), resolved), resolved.deadline())
                    .map(outcome -> {
                        outcome.lease().confirm(canceled);
                        return new Reservation(operations, operations.decision(outcome, resolved.key(), estimate),
                                outcome.lease());
                    });
        });
    }

    /** Reads a reservation that was made earlier, perhaps on another instance. */
    static Reservation of(PolicyOperations operations, String id) {
        Id reserved = Id.read(operations.parts.checksum().remove(String.valueOf(id)), operations.policy,
                operations.parts.settings().policies());
        Decision decision = reserved.decision();
        // only the instance that decided it in its memory can end it
        boolean ended = reserved.ended()
                || decision.source() != Source.REDIS && !reserved.instance().equals(operations.parts.instance());
        return new Reservation(operations, decision, operations.parts.leases().leaseOf(decision),
                new AtomicBoolean(true), new AtomicBoolean(ended));
    }

    @Override
    public String id() {
        if (!ended.get()) {
            shared.set(true);
        }
        // the store does not know the end of a reservation that was not shared before
        return operations.parts.checksum().add(new Id(decision, operations.parts.instance(), !shared.get()).text());
    }

    @Override
    public Uni<RateLimitDecision> settle(long actual) {
        return keepOnEventLoop(() -> {
            if (actual < 0 || actual > Limit.MAX_PERMITS) {
                throw new IllegalArgumentException("The actual cost must be 0 to 1000000000, but is " + actual);
            }
            return decision.allowed() ? end(() -> settled(actual), this::remaining).map(this::ofThisCall)
                    : Uni.createFrom().item(decision);
        });
    }

    @Override
    public Uni<Void> cancel() {
        return keepOnEventLoop(() -> end(() -> operations.parts.calls().refunds().refund(decision),
                () -> Uni.createFrom().voidItem()));
    }

    /** Ends the reservation once. Continues when the subscriber cancels, as there is no second attempt. */
    private <T> Uni<T> end(Supplier<Uni<T>> ending, Supplier<Uni<T>> otherwise) {
        if (!decision.allowed() || !ended.compareAndSet(false, true)) {
            return otherwise.get();
        }
        Uni<Boolean> firstEnd = shared.get() && isLimited() ? operations.parts.calls().refunds().end(decision)
                : Uni.createFrom().item(true);
        Uni<T> result = firstEnd
                .chain(isFirst -> isFirst ? lease.release().chain(() -> ending.get()) : otherwise.get())
                .memoize().indefinitely();
        result.subscribeAsCompletionStage();
        return result;
    }

    /**
     * Refunds or charges the difference between the reserved and the actual cost. Concurrency permits are released with
     * their lease.
     */
    private Uni<Decision> settled(long actual) {
        return !isCounted() ? Uni.createFrom().item(operations.decision(Outcome.NOT_LIMITED, decision.key(), actual))
                : operations.parts.calls().settle(decision, actual).map(outcome -> {
                    Decision settlement = operations.decision(outcome.settled(actual), decision.key(), actual);
                    operations.parts.calls().refunds().exclude(decision);
                    operations.parts.calls().refunds().exclude(settlement);
                    return settlement;
                });
    }

    /** Returns what remains for the caller. */
    private Uni<Decision> remaining() {
        Uni<Outcome> states = isCounted() ? operations.parts.calls().peek(decision)
                : Uni.createFrom().item(Outcome.NOT_LIMITED);
        return states.map(outcome -> operations.decision(outcome, decision.key(), 0));
    }

    /** Returns a settlement that the limiter of the first policy knows, too, where an overflow has paid. */
    private RateLimitDecision ofThisCall(Decision settlement) {
        return decision.firstAsked() == decision ? settlement : settlement.paidFor(decision.firstAsked().appliedPolicy());
    }

    private boolean isCounted() {
        return operations.enabled && isLimited();
    }

    private boolean isLimited() {
        return decision.source() != Source.NOT_LIMITED;
    }

    /**
     * Writes what a reservation acquired as a text, so that another instance can settle it.
     *
     * @param instance identifies the instance that decided it
     * @param ended whether it had ended when the text was written
     */
    record Id(Decision decision, String instance, boolean ended) {

        String text() {
            Map<String, Limit> limits = new HashMap<>();
            JsonArray states = new JsonArray();
            for (LimitState state : decision.limitsAsCharged()) {
                limits.put(state.limit(), state.definition());
                states.add(new JsonObject().put("limit", state.limit()).put("allowed", state.allowed())
                        .put("permits", state.permits()).put("remaining", state.remaining())
                        .put("delay", micros(state.delay())).put("retry", micros(state.retryAfter()))
                        .put("next", micros(state.nextPermitAfter())).put("reset", micros(state.resetAfter())));
            }
            JsonObject json = new JsonObject().put("policy", decision.policy()).put("key", decision.key())
                    .put("allowed", decision.allowed()).put("granted", decision.granted()).put("source", decision.chargedIn())
                    .put("at", decision.chargedAt()).put("id", decision.id()).put("instance", instance).put("ended", ended)
                    .put("reason", decision.reason()).put("limits", LimitsJson.of(limits)).put("states", states);
            if (decision.firstAsked() != decision) {
                json.put("first", decision.firstAsked().policy());
            }
            return Base64.getUrlEncoder().withoutPadding().encodeToString(json.encode().getBytes(UTF_8));
        }

        /**
         * @param configured policies, by name: an overflow may have paid
         * @throws IllegalArgumentException when the text is not the id of a reservation of this policy
         */
        static Id read(String id, Policy policy, Map<String, Policy> configured) {
            String made, first;
            Id reserved;
            try {
                JsonObject json = new JsonObject(new String(Base64.getUrlDecoder().decode(id), UTF_8));
                made = requireNonNull(json.getString("policy"));
                first = json.getString("first", made);
                reserved = read(json, made.equals(policy.name()) ? policy : configured.getOrDefault(made, policy));
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(
                        "This is not the id of a reservation. Use what RateLimitReservation.id() returned.", e);
            }
            if (!policy.name().equals(made) && !policy.name().equals(first)) {
                throw new IllegalArgumentException("The reservation was made by policy " + made + ", not by policy "
                        + policy.name() + ". Use the limiter of that policy.");
            }
            return first.equals(made) ? reserved
                    : reserved.paidFor(first.equals(policy.name()) ? policy : configured.get(first));
        }

        /** Returns this id for a call that another policy was asked for first, whose limiter can continue it, too. */
        private Id paidFor(Policy first) {
            return first == null || !decision.allowed() ? this : new Id(decision.paidFor(first), instance, ended);
        }

        private static Id read(JsonObject json, Policy policy) {
            Map<String, Limit> limits = LimitsJson.read(json.getJsonObject("limits"));
            List<LimitState> states = new ArrayList<>();
            JsonArray texts = json.getJsonArray("states");
            for (int i = 0; i < texts.size(); i++) {
                JsonObject state = texts.getJsonObject(i);
                String name = state.getString("limit");
                states.add(new LimitUsage(name, limits.get(name), state.getBoolean("allowed"), state.getLong("permits"),
                        state.getLong("remaining"), state.getLong("delay"), state.getLong("retry"), state.getLong("next"),
                        state.getLong("reset")));
            }
            String key = requireNonNull(json.getString("key"));
            Source source = Source.valueOf(json.getString("source"));
            DenialReason reason = json.getString("reason") == null ? null : DenialReason.valueOf(json.getString("reason"));
            Policy appliedPolicy = source != Source.REDIS && source != Source.MEMORY ? policy : policy.withLimitsOf(states);
            Decision decision = states.isEmpty() ? Decision.uncounted(policy, key, json.getLong("granted"), source, reason)
                    : Decision.recorded(appliedPolicy, key, json.getLong("id"), json.getLong("granted"), source,
                            List.copyOf(states), reason, json.getInstant("at"));
            return new Id(decision, json.getString("instance"), json.getBoolean("ended", false));
        }
    }
}
