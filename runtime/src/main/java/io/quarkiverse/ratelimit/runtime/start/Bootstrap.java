package io.quarkiverse.ratelimit.runtime.start;

import java.lang.annotation.Annotation;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Typed;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.engine.AcrossSlots;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Fallback;
import io.quarkiverse.ratelimit.runtime.engine.OverflowAcrossSlots;
import io.quarkiverse.ratelimit.runtime.engine.call.Decider;
import io.quarkiverse.ratelimit.runtime.engine.call.PreparedCharges;
import io.quarkiverse.ratelimit.runtime.engine.call.Steps;
import io.quarkiverse.ratelimit.runtime.engine.delay.DelayedCalls;
import io.quarkiverse.ratelimit.runtime.engine.delay.WaitQueues;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.denials.MostDenied;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.engine.pauses.PausedBuckets;
import io.quarkiverse.ratelimit.runtime.engine.pauses.Pauses;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchedPermits;
import io.quarkiverse.ratelimit.runtime.engine.refunds.HeldCalls;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Leases;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitBuildTimeConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.policy.settings.SettingsReader;
import io.quarkiverse.ratelimit.runtime.policy.settings.SettingsReader.ResolverBeans;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.TimedStore.RedisObserver;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisInUse;
import io.quarkiverse.ratelimit.runtime.store.redis.topology.RedisClients;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.runtime.Startup;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Creates the limiter when the application starts, and closes it when the application stops. */
@Startup
@Singleton
public class Bootstrap {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Duration REFRESH_OVERRIDES = Duration.ofMillis(500);
    private static final Duration MOVE_DENIALS = Duration.ofSeconds(1);

    @Produces
    @Singleton
    final Settings settings;
    @Produces
    @Singleton
    final RuleRegistry registry;
    @Produces
    @Singleton
    final LocalStore local;
    @Produces
    @Singleton
    final Leases leases;
    @Produces
    @Singleton
    final Refunds refunds;
    @Produces
    @Singleton
    final Administration administration;
    @Produces
    @Singleton
    final Engine engine;
    @Produces
    @Singleton
    final CodeCalls calls;
    @Produces
    @Singleton
    final Pauses pauses;
    @Produces
    @Singleton
    @Typed(RedisInUse.class)
    final Stores stores;

    private final MostDenied denied;
    private final PrefetchedPermits prefetched;
    private final List<Runnable> cancellations = new ArrayList<>();

    Bootstrap(RateLimitConfig config, RateLimitBuildTimeConfig buildTime, PolicyReferences references, Vertx vertx,
            RedisClients clients, @Any Instance<RateLimitKeyResolver> keys, @Any Instance<RateLimitPlanResolver> plans,
            @Any Instance<DecisionObserver> decisionObservers, @Any Instance<RedisObserver> redisObservers, BeanManager beans,
            LimiterClock clock) {
        Map<String, List<Supplier<RateLimitKeyResolver>>> keysByName = byName(RateLimitKeyResolver.class, keys, beans);
        Map<String, List<Supplier<RateLimitPlanResolver>>> plansByName = byName(RateLimitPlanResolver.class, plans, beans);
        settings = SettingsReader.read(config, ConfigProvider.getConfig().unwrap(SmallRyeConfig.class), references,
                new ResolverBeans(keysByName, plansByName));
        registry = new RuleRegistry(references.methods(), settings);
        LongSupplier now = clock.ofThisInstance(Clock.systemUTC()), countdown = clock.countdown();
        local = new LocalStore(now);
        stores = Stores.open(settings, clients, buildTime.redisClient(), local, clock);
        Timers timers = new Timers(vertx);
        Overrides overrides = new Overrides(stores.overrides(), countdown);
        denied = new MostDenied(stores.denials());
        if (stores.areUsed()) {
            repeat(timers, REFRESH_OVERRIDES, overrides::refresh);
            repeat(timers, MOVE_DENIALS, denied::move);
        }

        LimitStore store = stores.limits(redisObservers);
        Observers observers = observers(decisionObservers);
        // the first id is random, so that instances do not use the same ones
        LongSupplier ids = new AtomicLong(new SecureRandom().nextLong())::incrementAndGet;
        LongSupplier nanoTime = System::nanoTime;
        DenialCache denials = new DenialCache(nanoTime);
        clock.moveAlso(moved -> denials.evictAll());
        FailureLog mistakes = FailureLog.ofMistakes();
        leases = new Leases(timers, store, local, mistakes);
        refunds = new Refunds(store, local, denials, observers, mistakes, settings.timeout());
        prefetched = new PrefetchedPermits(store, refunds, ids, timers, clock::nanoTime, mistakes,
                settings.timeout());
        PausedBuckets buckets = new PausedBuckets(store, local, settings.replicas());
        administration = new Administration(store, local, overrides, buckets, denials, prefetched, denied);
        BeanResolvers resolvers = new BeanResolvers(keysByName, plansByName, settings.timeout(), countdown, timers);

        Fallback fallback = new Fallback(local, settings.replicas(), leases, mistakes);
        Decider end = prefetches() ? prefetched : Steps.inStore(store, stores.source());
        Decider plain = new Steps(end, List.of(denials), fallback::recover, nanoTime);
        if (store.isSharded()) {
            Decider part = new Steps(end, List.of(denials.recordingOnly()), fallback::recover, nanoTime);
            Decider chains = new OverflowAcrossSlots(part, denials, nanoTime);
            plain = new AcrossSlots(plain, chains, leases, refunds, fallback, AcrossSlots::slotKey);
        } else if (!settings.overflows().isEmpty() && registry.routesMeet()) {
            plain = new AcrossSlots(plain, plain, leases, refunds, fallback, keyed -> "");
        }
        Semaphore vacancies = new Semaphore(settings.maxDelayed());
        DelayedCalls delayed = new DelayedCalls(new HeldCalls(plain, leases, refunds), refunds, vacancies, timers, ids,
                overrides);
        pauses = new Pauses(overrides, buckets, observers, now);
        engine = new Engine(resolvers, overrides, new PreparedCharges(), ids, plain, delayed, observers, settings.timeout(),
                stores.source());
        calls = new CodeCalls(engine, new WaitQueues(vacancies, timers), refunds, settings.policies());
        stores.await(overrides);
        // not %d, which loads the number formats of the locale
        LOG.infof("Rate limits are %s: policies %s, limited methods %s",
                settings.countsInMemory() ? "on, in the memory of this instance" : settings.enabled() ? "on" : "off",
                settings.policies().keySet(), references.methods().size());
    }

    /**
     * Returns the beans of a type by their {@code @Identifier}, without those for which CDI prefers another bean. Each is
     * created on first use.
     */
    private static <T> Map<String, List<Supplier<T>>> byName(Class<T> type, Instance<T> beans, BeanManager all) {
        Map<String, List<Supplier<T>>> byName = new HashMap<>();
        for (Bean<?> bean : all.getBeans(type, Any.Literal.INSTANCE)) {
            for (Annotation qualifier : bean.getQualifiers()) {
                if (qualifier instanceof Identifier identifier) {
                    byName.put(identifier.value(), beans.select(identifier).handlesStream()
                            .<Supplier<T>> map(handle -> handle::get).toList());
                }
            }
        }
        return byName;
    }

    /** Exchanges overrides or denials with the other instances again and again. */
    private void repeat(Timers timers, Duration interval, Supplier<Uni<Void>> exchange) {
        cancellations.add(timers.every(interval, () -> exchange.get().subscribe().with(done -> {
        }, unavailable -> LOG.debugf("Overrides or denials were not exchanged: %s", unavailable.getMessage()))));
    }

    private Observers observers(Instance<DecisionObserver> ofApplication) {
        List<Policy> inForce = new ArrayList<>();
        for (Policy policy : settings.policies().values()) {
            if (settings.enabled() && policy.enabled()) {
                inForce.add(policy);
            }
        }
        List<DecisionObserver> needed = new ArrayList<>(List.of(denied));
        denied.expect(inForce);
        for (DecisionObserver observer : ofApplication) {
            if (observer.expect(inForce)) {
                needed.add(observer);
            }
        }
        return Observers.of(needed);
    }

    private boolean prefetches() {
        return stores.redis().isPresent()
                && settings.policies().values().stream().anyMatch(policy -> !policy.prefetch().isOff());
    }

    /** Releases the permits of calls that still run and those that were acquired ahead, then stops the retries of refunds. */
    @PreDestroy
    void stop() {
        cancellations.forEach(Runnable::run);
        Stores.awaitShortly(leases.stop(), "Permits of running calls are not released");
        Stores.awaitShortly(prefetched.stop(), "Permits that were acquired ahead are not refunded");
        refunds.stop();
        stores.close();
    }
}
