package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.admin.Administration;
import io.quarkiverse.ratelimit.runtime.engine.admin.MostDenied;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchedPermits;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.vertx.core.Vertx;

/** Composes the parts of a limiter for tests without an application. */
public final class TestLimiter {

    private static final Duration SOON = Duration.ofSeconds(20);

    /** Instances with one Redis must not use the same id twice. */
    private static final AtomicLong LAST_ID = new AtomicLong();

    private final LongSupplier ids = LAST_ID::incrementAndGet;
    private final Duration timeout;
    public final Overrides overrides;
    public final LeaseRenewal leases;
    public final Refunds refunds;
    public final PrefetchedPermits prefetched;
    public final Administration administration;
    public final Decider decider;
    public final Engine engine;
    public final CodeCalls calls;
    private final WaitQueues queues;

    /** @param timeout of a decision */
    public TestLimiter(LimitStore redis, LocalStore local, Vertx vertx, Duration timeout) {
        this(redis, local, vertx, timeout, new DenialCache(System::nanoTime), noBeans(vertx), 100, 1);
    }

    /** @param nanoTime the clock of the permits that are acquired ahead */
    public TestLimiter(LimitStore redis, LocalStore local, Vertx vertx, Duration timeout, LongSupplier nanoTime) {
        this(redis, local, vertx, timeout, nanoTime, new Overrides(OverrideStore.NONE, () -> 0));
    }

    /** @param nanoTime the clock of the permits that are acquired ahead */
    public TestLimiter(LimitStore redis, LocalStore local, Vertx vertx, Duration timeout, LongSupplier nanoTime,
            Overrides overrides) {
        this(redis, local, vertx, timeout, new DenialCache(System::nanoTime), noBeans(vertx), 100, 1, nanoTime,
                overrides, Observers.NONE);
    }

    public TestLimiter(LimitStore redis, LocalStore local, Vertx vertx, Duration timeout, DenialCache denials,
            BeanResolvers beans,
            int maxDelayed, int replicas) {
        this(redis, local, vertx, timeout, denials, beans, maxDelayed, replicas, System::nanoTime,
                new Overrides(OverrideStore.NONE, () -> 0), Observers.NONE);
    }

    /** @param observers of lost refunds */
    public TestLimiter(LimitStore redis, LocalStore local, Vertx vertx, Duration timeout, Observers observers) {
        this(redis, local, vertx, timeout, new DenialCache(System::nanoTime), noBeans(vertx), 100, 1, System::nanoTime,
                new Overrides(OverrideStore.NONE, () -> 0), observers);
    }

    private TestLimiter(LimitStore redis, LocalStore local, Vertx vertx, Duration timeout, DenialCache denials,
            BeanResolvers beans, int maxDelayed, int replicas, LongSupplier nanoTime, Overrides overrides,
            Observers observers) {
        this.timeout = timeout;
        this.overrides = overrides;
        Timers timers = new Timers(vertx);
        FailureLog mistakes = FailureLog.ofMistakes();
        leases = new LeaseRenewal(timers, redis, local, mistakes);
        refunds = new Refunds(redis, local, denials, observers, mistakes, timeout);
        prefetched = new PrefetchedPermits(redis, refunds, ids, timers, nanoTime);
        administration = new Administration(redis, local, overrides, denials, prefetched, new MostDenied(local.denials()));
        StoreDecider single = new StoreDecider(prefetched, denials, new Fallback(local, replicas), leases, mistakes);
        decider = redis.isSharded() ? new ClusterDecider(single, refunds) : single;
        Semaphore vacancies = new Semaphore(maxDelayed);
        DelayedCalls delays = new DelayedCalls(decider, leases, refunds, vacancies, timers, ids, overrides);
        engine = new Engine(beans, overrides, ids, decider, delays, Observers.NONE, timeout, Source.REDIS);
        queues = new WaitQueues(vacancies, timers);
        calls = calls(timeout);
    }

    public static BeanResolvers noBeans(Vertx vertx) {
        return new BeanResolvers(Map.of(), Map.of(), Duration.ofSeconds(1), () -> 0, new Timers(vertx));
    }

    /** The same limiter with another timeout. */
    public CodeCalls calls(Duration timeout) {
        return new CodeCalls(new Engine(engine.resolvers(), engine.overrides(), ids, decider, engine.delayed(), Observers.NONE,
                timeout, Source.REDIS), queues, refunds, Map.of());
    }

    /** Decides a call of these policies, without delays. */
    @SafeVarargs
    public final Outcome decide(Consumer<Call>... policies) {
        Call call = new Call(ids.getAsLong());
        Stream.of(policies).forEach(policy -> policy.accept(call));
        return leases.begin(call, decider.decide(call, Deadline.in(timeout), Observers.NONE).await().atMost(SOON));
    }

    public Outcome decide(Policy policy, String caller, PermitRequest requested) {
        Policy inForce = overrides.inForce(policy, null, caller);
        return calls.decide(new Charge(inForce, requested), caller, calls.deadline()).await().atMost(SOON);
    }

    /** Adds a policy to a call. */
    public static Consumer<Call> request(Policy policy, String caller, PermitRequest requested) {
        return call -> call.add(new Charge(policy, requested), caller);
    }
}
