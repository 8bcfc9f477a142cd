package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.algorithm.Forget;
import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.engine.Observers.OfCall;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.engine.Resolution.Resolved;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Ask;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.quarkiverse.ratelimit.runtime.store.Step;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Decides whether calls go ahead: resolves who is calling, asks Redis, else falls back, and holds back who must wait. */
public final class Engine {

    private final LimitStore redis;
    private final LocalStore local;
    private final Leases leases;
    private final GivingBack givingBack;
    private final Decider decider;
    private final Holding holding;
    private final Lines lines;
    private final Overrides overrides;
    private final Denials denials;
    private final Resolution resolution;
    private final Observers observers;
    private volatile boolean stopped;

    /** @param maxDelayed how many calls may be delayed at the same time */
    Engine(LimitStore redis, LocalStore local, Overrides overrides, Resolvers resolvers, Denials denials, Vertx vertx,
            int maxDelayed, Observers observers) {
        this.observers = observers;
        this.denials = denials;
        this.redis = redis;
        this.local = local;
        this.overrides = overrides;
        resolution = new Resolution(resolvers, overrides);
        Places places = new Places(maxDelayed);
        Timers timers = new Timers(vertx);
        leases = new Leases(vertx, redis, local);
        givingBack = new GivingBack(redis, local, denials);
        decider = new Decider(redis, local, leases, givingBack, denials);
        holding = new Holding(decider, givingBack, places, timers);
        lines = new Lines(places, timers);
    }

    /** Decides a request of which no argument belongs to the key, in the same way. */
    public Uni<Outcome> decide(Guard guard, Caller caller) {
        return decide(guard, new CallDetails(caller, guard.method()));
    }

    /**
     * Decides a call of a guarded method, or a request of a route, once, without blocking; never fails. The
     * outcome arrives when the call may go ahead or is refused, perhaps on an event loop that is not the caller's. Its lease
     * is to be released when the call ends.
     *
     * @param arguments those of the call that belong to the key
     */
    public Uni<Outcome> decide(Guard guard, Caller caller, Object[] arguments) {
        return decide(guard, new CallDetails(caller, guard.method(), arguments));
    }

    private Uni<Outcome> decide(Guard guard, CallDetails call) {
        OfCall told = observers.ofThisCall();
        if (!guard.asksBeans()) {
            return decideKnown(guard, call, told, holding::decide);
        }
        return Uni.createFrom().deferred(() -> {
            long began = System.nanoTime();
            return resolution.withBeans(guard, call)
                    .chain(known -> decideKnown(guard, known, told, asked -> holding.decide(asked, began)));
        });
    }

    private Uni<Outcome> decideKnown(Guard guard, CallDetails call, OfCall told,
            Function<List<Asked>, Uni<Outcome>> decision) {
        Resolved resolved = resolution.of(guard, call);
        return Observers.told(decide(guard, call, resolved, decision), told, resolved.exempt());
    }

    private Uni<Outcome> decide(Guard guard, CallDetails call, Resolved resolved,
            Function<List<Asked>, Uni<Outcome>> decision) {
        if (resolved.refusing() != null) {
            return Uni.createFrom().item(new Outcome(List.of(Decisions.withoutCaller(resolved.refusing()))));
        }
        if (guard.method() == null) {
            for (Asked asked : resolved.asked()) {
                call.caller().charge(asked.charge().policy().name(), asked.caller(), asked.charge().call().cost());
            }
        }
        return resolved.asked().isEmpty() ? Uni.createFrom().item(Outcome.UNGUARDED) : decision.apply(resolved.asked());
    }

    /** Whether a call of a guarded method may be held back. */
    public boolean mayWait(Guard guard) {
        return guard.mayWait() || overrides.areThere();
    }

    /** Gives back the first part of what a request costs, where the same policy has refused the rest of it. */
    public void giveBackPart(Outcome first, Outcome refused) {
        for (Decided part : first.all()) {
            boolean goesOn = refused.decisions().stream().anyMatch(rest -> rest.policy().name().equals(part.policy().name())
                    && rest.decision().key().equals(part.decision().key()));
            if (goesOn) {
                givingBack.giveBack(part.decision(), part.decision().granted()).subscribe().with(ignored -> {
                });
            }
        }
    }

    /** Gives back what was charged by policies that do not count responses of this status; nothing after the stop. */
    public void settle(Outcome outcome, int status) {
        if (stopped) {
            return;
        }
        for (Decided decided : outcome.all()) {
            if (!decided.policy().countWhen().contain(status)) {
                givingBack.giveBack(decided.decision(), decided.decision().granted()).subscribe().with(ignored -> {
                });
            }
        }
    }

    /** Decides a call of code in the same way, by the limits that the charge says. */
    public Uni<Outcome> decide(Charge charge, String caller) {
        return Observers.told(decideQuietly(charge, caller), observers.ofThisCall(), List.of());
    }

    /** Does the same for what is no call of its own, such as a look. */
    public Uni<Outcome> decideQuietly(Charge charge, String caller) {
        return holding.decide(List.of(new Asked(charge, caller)));
    }

    /** Says that a policy does not limit the caller of a call of code. */
    public void exempt(Policy policy) {
        OfCall told = observers.ofThisCall();
        if (told != null) {
            told.decided(Outcome.UNGUARDED, List.of(policy));
        }
    }

    /**
     * Decides a call of code that waits for its turn where it cannot take permits ahead of time.
     *
     * @param charge by the limits that are in force whenever it is asked for
     */
    public Uni<Outcome> decide(Supplier<Charge> charge, String caller, Duration maxWait) {
        Policy policy = charge.get().policy();
        Uni<Outcome> outcome = policy.takesAhead() || maxWait.isZero()
                ? holding.decideOrGiveBack(waiting(charge.get(), caller, maxWait), false)
                : lines.decide(policy.name() + ' ' + caller, maxWait,
                        left -> holding.decideOrGiveBack(waiting(charge.get(), caller, left), true));
        return Observers.told(outcome, observers.ofThisCall(), List.of());
    }

    private static List<Asked> waiting(Charge charge, String caller, Duration maxWait) {
        return List.of(new Asked(charge.with(charge.policy().withMaxWait(maxWait)), caller));
    }

    /**
     * The policy with the limits that are in force, sorted by name; {@code null} where the caller is not limited.
     *
     * @param plan {@code null} where there is none
     * @param caller {@code null} for everybody
     */
    public Policy inForce(Policy policy, Plan plan, String caller) {
        return resolution.inForce(policy, plan, caller);
    }

    /** The plan of a caller whose key code gives, an item of {@code null} for the policy's own numbers. */
    public Uni<Plan> plan(Policy policy, Caller caller, CallerKey key) {
        return resolution.plan(policy, caller, key);
    }

    /** Puts other limits in force on all instances, by their names; {@code caller} is {@code null} for everybody. */
    public Uni<Void> override(Policy policy, String caller, Map<String, Limit> limits, Duration ttl) {
        return orSay("the override was not stored", overrides.put(policy, caller, limits, ttl).invoke(denials::forgetAll));
    }

    /** All overrides of a policy: for everybody first, then by caller. */
    public List<OverrideInForce> overrides(Policy policy) {
        return overrides.of(policy);
    }

    public Uni<Void> removeOverride(Policy policy, String caller) {
        return orSay("the override was not removed", overrides.remove(policy, caller).invoke(denials::forgetAll));
    }

    /** Gives back so many of the permits that a decision took, as far as they still count, once for each decision. */
    public Uni<Void> giveBack(RateLimitDecision decision, long count) {
        return givingBack.giveBack(decision, count);
    }

    /** Forgets what a caller has used up of a policy, in Redis and in this instance; fails where Redis is away. */
    public Uni<Void> reset(Policy policy, String caller) {
        List<Step> steps = new ArrayList<>(policy.limits().size());
        for (PolicyLimit limit : policy.limits()) {
            steps.add(new Step(limit.name(), new Forget()));
        }
        Question question = new Question(List.of(new Ask(policy.name(), false, caller, steps)));
        return local.decide(question)
                .chain(() -> orSay("what was used up is forgotten only in this instance", redis.decide(question)))
                .invoke(() -> denials.forget(policy.name(), caller)).replaceWithVoid();
    }

    private static <T> Uni<T> orSay(String consequence, Uni<T> done) {
        return done.onFailure().transform(away -> new IllegalStateException(
                "Redis could not be asked, so " + consequence + ": " + away.getMessage() + ". Try again.", away));
    }

    /** Looks now whether overrides have changed. */
    public Uni<Void> refreshOverrides() {
        return overrides.refresh();
    }

    /** Asks Redis again about all whom it has refused. */
    public void forgetDenials() {
        denials.forgetAll();
    }

    /** Gives back what calls hold that still run; completes when that is answered, or after a second. */
    public Uni<Void> releaseAll() {
        return leases.releaseAll();
    }

    /** Does the same, and after that gives nothing back any more. */
    Uni<Void> stop() {
        return leases.stop().invoke(() -> {
            stopped = true;
            givingBack.giveUp();
        });
    }
}
