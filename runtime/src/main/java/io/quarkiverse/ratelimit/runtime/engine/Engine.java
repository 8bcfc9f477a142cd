package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.ResetOperation;
import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.engine.CallResolver.Resolved;
import io.quarkiverse.ratelimit.runtime.engine.ObserverChain.OfCall;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.PolicyDecision;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Decides whether calls go ahead: resolves the caller, sends a request to Redis or falls back, and delays calls. */
public final class Engine {

    private final LimitStore redis;
    private final LocalStore local;
    private final LeaseRenewal leases;
    private final Refunds refunds;
    private final Decider decider;
    private final DelayedCalls holding;
    private final WaitQueues lines;
    private final Overrides overrides;
    private final DenialCache denials;
    private final CallResolver resolution;
    private final ObserverChain observers;
    private final String instance = UUID.randomUUID().toString();
    private volatile boolean stopped;

    /** @param maxDelayed how many calls may be delayed at the same time */
    Engine(LimitStore redis, LocalStore local, Overrides overrides, BeanResolvers resolvers, DenialCache denials, Vertx vertx,
            int maxDelayed, ObserverChain observers) {
        this.observers = observers;
        this.denials = denials;
        this.redis = redis;
        this.local = local;
        this.overrides = overrides;
        resolution = new CallResolver(resolvers, overrides);
        BoundedCount places = new BoundedCount(maxDelayed);
        Timers timers = new Timers(vertx);
        leases = new LeaseRenewal(vertx, redis, local);
        refunds = new Refunds(redis, local, denials);
        decider = new Decider(redis, local, leases, refunds, denials);
        holding = new DelayedCalls(decider, refunds, places, timers);
        lines = new WaitQueues(places, timers);
    }

    /** Decides a request without arguments that belong to the key. */
    public Uni<Outcome> decide(CallRules rules, Caller caller) {
        return decide(rules, new CallDetails(caller, rules.method()));
    }

    /**
     * Decides a call of a limited method or a request of a route once, without blocking; never fails. The outcome
     * arrives when the call may go ahead or is denied, perhaps on an event loop that is not the caller's. The
     * lease of the outcome must be released when the call ends.
     *
     * @param arguments the arguments of the call that belong to the key
     */
    public Uni<Outcome> decide(CallRules rules, Caller caller, Object[] arguments) {
        return decide(rules, new CallDetails(caller, rules.method(), arguments));
    }

    private Uni<Outcome> decide(CallRules rules, CallDetails call) {
        OfCall told = observers.ofThisCall();
        if (!rules.asksBeans()) {
            return decideKnown(rules, call, told, holding::decide);
        }
        return Uni.createFrom().deferred(() -> {
            long began = System.nanoTime();
            return resolution.withBeans(rules, call)
                    .chain(known -> decideKnown(rules, known, told, asked -> holding.decide(asked, began)));
        });
    }

    private Uni<Outcome> decideKnown(CallRules rules, CallDetails call, OfCall told,
            Function<List<KeyedCharge>, Uni<Outcome>> decision) {
        Resolved resolved = resolution.of(rules, call);
        return ObserverChain.told(decide(rules, call, resolved, decision), told, resolved.exempt());
    }

    private Uni<Outcome> decide(CallRules rules, CallDetails call, Resolved resolved,
            Function<List<KeyedCharge>, Uni<Outcome>> decision) {
        if (resolved.denying() != null) {
            return Uni.createFrom().item(new Outcome(List.of(DecisionFactory.withoutCaller(resolved.denying()))));
        }
        if (rules.method() == null) {
            for (KeyedCharge asked : resolved.asked()) {
                call.caller().charge(asked.charge().policy().name(), asked.caller(), asked.charge().call().cost());
            }
        }
        return resolved.asked().isEmpty() ? Uni.createFrom().item(Outcome.NOT_LIMITED) : decision.apply(resolved.asked());
    }

    /** Whether a call of a limited method may be delayed. */
    public boolean mayWait(CallRules rules) {
        return rules.mayWait() || overrides.areThere();
    }

    /** Refunds the first part of a request's cost where the same policy has denied the rest. */
    public void refundPart(Outcome first, Outcome denied) {
        for (PolicyDecision part : first.all()) {
            boolean goesOn = denied.decisions().stream().anyMatch(rest -> rest.policy().name().equals(part.policy().name())
                    && rest.decision().key().equals(part.decision().key()));
            if (goesOn) {
                refunds.refund(part.decision(), part.decision().granted()).subscribe().with(ignored -> {
                });
            }
        }
    }

    /**
     * Refunds the permits of policies that do not count responses of this status. Does nothing after the engine has
     * stopped.
     */
    public void settle(Outcome outcome, int status) {
        if (stopped) {
            return;
        }
        for (PolicyDecision decided : outcome.all()) {
            if (!decided.policy().countWhen().contain(status)) {
                refunds.refund(decided.decision(), decided.decision().granted()).subscribe().with(ignored -> {
                });
            }
        }
    }

    /** Decides a call from code by the limits of the charge. */
    public Uni<Outcome> decide(Charge charge, String caller) {
        return ObserverChain.told(decideQuietly(charge, caller), observers.ofThisCall(), List.of());
    }

    /** Decides without notifying observers, for an operation that is not a call of its own, such as a peek. */
    public Uni<Outcome> decideQuietly(Charge charge, String caller) {
        return holding.decide(List.of(new KeyedCharge(charge, caller)));
    }

    /** Notifies observers that a policy does not limit the caller of a call from code. */
    public void exempt(Policy policy) {
        OfCall told = observers.ofThisCall();
        if (told != null) {
            told.decided(Outcome.NOT_LIMITED, List.of(policy));
        }
    }

    /**
     * Decides a call from code that may wait. The call waits in a queue where the policy cannot acquire permits ahead
     * of time.
     *
     * @param charge returns a charge by the limits in force; called for each attempt
     */
    public Uni<Outcome> decide(Supplier<Charge> charge, String caller, Duration maxWait) {
        Policy policy = charge.get().policy();
        Uni<Outcome> outcome = policy.takesAhead() || maxWait.isZero()
                ? holding.decideOrRefund(waiting(charge.get(), caller, maxWait), false)
                : lines.decide(policy.name() + ' ' + caller, maxWait,
                        left -> holding.decideOrRefund(waiting(charge.get(), caller, left), true));
        return ObserverChain.told(outcome, observers.ofThisCall(), List.of());
    }

    private static List<KeyedCharge> waiting(Charge charge, String caller, Duration maxWait) {
        return List.of(new KeyedCharge(charge.with(charge.policy().withMaxWait(maxWait)), caller));
    }

    /**
     * The policy with the limits in force, sorted by name; {@code null} where the policy does not limit the caller.
     *
     * @param plan {@code null} for none
     * @param caller {@code null} for all callers
     */
    public Policy inForce(Policy policy, Plan plan, String caller) {
        return resolution.inForce(policy, plan, caller);
    }

    /** Finds the plan of a caller whose key comes from code. A {@code null} item stands for the policy's own limits. */
    public Uni<Plan> plan(Policy policy, Caller caller, List<String> key) {
        return resolution.plan(policy, caller, key);
    }

    /**
     * Overrides limits by name on all instances.
     *
     * @param caller {@code null} for all callers
     * @param duration {@code null} for an override that applies until it is removed
     */
    public Uni<Void> override(Policy policy, String caller, Map<String, Limit> limits, Duration duration) {
        return orSay("the override was not stored",
                overrides.put(policy, caller, limits, duration == null ? Overrides.UNTIL_REMOVED : duration)
                        .invoke(denials::forgetAll));
    }

    /** All overrides of a policy: first the one for all callers, then those by caller. */
    public List<? extends RateLimitOverride> overrides(Policy policy) {
        return overrides.of(policy);
    }

    public Uni<Void> removeOverride(Policy policy, String caller) {
        return orSay("the override was not removed", overrides.remove(policy, caller).invoke(denials::forgetAll));
    }

    /** Refunds this many of a decision's permits, as far as they still count; once for each decision. */
    public Uni<Void> refund(Decision decision, long count) {
        return refunds.refund(decision, count);
    }

    /**
     * Replaces the cost that a decision charged by the actual cost. Limits that count calls do not change, and concurrency
     * permits are released with their lease. Returns the states afterwards.
     *
     * @param applied the policy with the limits by which it was decided
     */
    public Uni<Outcome> settleCost(Policy applied, Decision reserved, long actual, int replicas) {
        Policy now = inForce(applied, null, reserved.key());
        Policy settled = now.settled();
        long more = actual - reserved.granted();
        if (more > 0 && !settled.limits().isEmpty()) {
            return decideQuietly(new Charge(settled, new Call(more, OperationKind.CHARGE, 0).asRefundable(), replicas),
                    reserved.key());
        }
        return refunds.refundCost(reserved, -more).chain(() -> peek(now, reserved.key(), replicas));
    }

    /** The states of the limits of a policy in force, without changing them. */
    public Uni<Outcome> peek(Policy policy, String caller, int replicas) {
        return decideQuietly(new Charge(policy, new Call(1, OperationKind.PEEK, 0), replicas), caller);
    }

    /**
     * Ends a reservation, and returns whether no instance has ended it before. Returns {@code true} when Redis is
     * unavailable, as this is unknown then.
     */
    public Uni<Boolean> end(Decision reserved) {
        Duration leaseTime = Duration.ZERO;
        for (LimitState limit : reserved.limits()) {
            Duration lease = limit.definition().leaseTime();
            leaseTime = lease == null || lease.compareTo(leaseTime) < 0 ? leaseTime : lease;
        }
        return refunds.end(reserved, leaseTime).onFailure().recoverWithItem(true);
    }

    /** Identifies this instance among all others. */
    public String instance() {
        return instance;
    }

    /** The lease of a reservation, perhaps of another instance. */
    public Lease leaseOf(Decision reserved) {
        return () -> leases.release(reserved).onFailure().recoverWithNull();
    }

    /** Resets what a caller has used of a policy, in Redis and in this instance. Fails when Redis is unavailable. */
    public Uni<Void> reset(Policy policy, String caller) {
        List<LimitOperation> steps = new ArrayList<>(policy.limits().size());
        for (PolicyLimit limit : policy.limits()) {
            steps.add(new LimitOperation(limit.name(), new ResetOperation()));
        }
        StoreRequest question = new StoreRequest(List.of(new PolicyRequest(policy.name(), false, caller, steps)));
        return local.decide(question)
                .chain(() -> orSay("what was used up is forgotten only in this instance", redis.decide(question)))
                .invoke(() -> denials.forget(policy.name(), caller)).replaceWithVoid();
    }

    private static <T> Uni<T> orSay(String consequence, Uni<T> done) {
        return done.onFailure().transform(unavailable -> new IllegalStateException(
                "Redis could not be asked, so " + consequence + ": " + unavailable.getMessage() + ". Try again.", unavailable));
    }

    /** Reads the overrides now if they have changed. */
    public Uni<Void> refreshOverrides() {
        return overrides.refresh();
    }

    /** Evicts all cached denials. */
    public void forgetDenials() {
        denials.forgetAll();
    }

    /** Releases the permits of calls that still run. Completes when the store has replied, or after a second. */
    public Uni<Void> releaseAll() {
        return leases.releaseAll();
    }

    /** Releases the permits of calls that still run, then stops settlements and the retries of refunds. */
    Uni<Void> stop() {
        return leases.stop().invoke(() -> {
            stopped = true;
            refunds.giveUp();
        });
    }
}
