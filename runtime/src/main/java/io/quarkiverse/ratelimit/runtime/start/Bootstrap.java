package io.quarkiverse.ratelimit.runtime.start;

import java.lang.annotation.Annotation;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

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

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.config.RateLimitBuildTimeConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.Store;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.engine.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.BoundedCount;
import io.quarkiverse.ratelimit.runtime.engine.CallResolver;
import io.quarkiverse.ratelimit.runtime.engine.CostSettlement;
import io.quarkiverse.ratelimit.runtime.engine.Decider;
import io.quarkiverse.ratelimit.runtime.engine.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.DelayedCalls;
import io.quarkiverse.ratelimit.runtime.engine.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.engine.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.engine.MostDenied;
import io.quarkiverse.ratelimit.runtime.engine.ObserverChain;
import io.quarkiverse.ratelimit.runtime.engine.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.PrefetchedPermits;
import io.quarkiverse.ratelimit.runtime.engine.RedisInUse;
import io.quarkiverse.ratelimit.runtime.engine.RedisObserver;
import io.quarkiverse.ratelimit.runtime.engine.Refunds;
import io.quarkiverse.ratelimit.runtime.engine.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.engine.TimedStore;
import io.quarkiverse.ratelimit.runtime.engine.Timers;
import io.quarkiverse.ratelimit.runtime.engine.WaitQueues;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUsages;
import io.quarkiverse.ratelimit.runtime.redis.RedisClients;
import io.quarkiverse.ratelimit.runtime.redis.RedisState;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.settings.BeanNames;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.settings.SettingsReader;
import io.quarkiverse.ratelimit.runtime.store.CallIds;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.runtime.Startup;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.config.SmallRyeConfig;
import io.vertx.core.Vertx;

/** Creates the limiter when the application starts, and closes it when the application stops. */
@Startup
@Singleton
public class Bootstrap {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long REFRESH_MILLIS = 500;
    private static final long MOVE_DENIALS_MILLIS = 1_000;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Settings settings;
    private final RuleRegistry registry;
    private final LimiterClock clock = new LimiterClock();
    private final LocalStore local = new LocalStore(clock.ofThisInstance(Clock.systemUTC()));
    private final CallIds ids = new CallIds();
    private final Optional<RedisStore> redis;
    private final Overrides overrides;
    private final LimitsInForce limits;
    private final LeaseRenewal leases;
    private final Refunds refunds;
    private final PrefetchedPermits prefetched;
    private final Administration administration;
    private final MostDenied denied;
    private final Engine engine;
    private final RedisInUse redisInUse;
    private final Vertx vertx;
    private Runnable stopTimers = () -> {
    };

    Bootstrap(RateLimitConfig config, RateLimitBuildTimeConfig buildTime, PolicyUsages usages, Vertx vertx,
            RedisClients clients, @Any Instance<RateLimitKeyResolver> keys, @Any Instance<RateLimitPlanResolver> plans,
            @Any Instance<DecisionObserver> decisionObservers, @Any Instance<RedisObserver> redisObservers, BeanManager beans) {
        this.vertx = vertx;
        SmallRyeConfig source = ConfigProvider.getConfig().unwrap(SmallRyeConfig.class);
        Map<String, List<Supplier<RateLimitKeyResolver>>> keysByName = byName(RateLimitKeyResolver.class, keys, beans);
        Map<String, List<Supplier<RateLimitPlanResolver>>> plansByName = byName(RateLimitPlanResolver.class, plans, beans);
        settings = SettingsReader.read(config, source, usages, new BeanNames(counts(keysByName), counts(plansByName)));
        registry = new RuleRegistry(usages.methods(), settings);
        redis = settings.enabled() && settings.store() == Store.REDIS
                && (!settings.policies().isEmpty() || clients.isConfigured(buildTime.redisClient()))
                        ? Optional.of(connect(clients, buildTime.redisClient()))
                        : Optional.empty();
        redisInUse = new RedisOfClients(clients, buildTime.redisClient());
        boolean inMemory = settings.countsInMemory();
        Source counts = inMemory ? Source.MEMORY : Source.REDIS;
        overrides = new Overrides(
                redis.map(store -> store.overrides(settings.keyPrefix(), clock))
                        .orElse(inMemory ? local.overrides() : OverrideStore.NONE),
                clock.ofThisInstance(Clock.systemUTC()));
        denied = new MostDenied(redis.map(store -> store.denials(settings.keyPrefix(), clock))
                .orElse(inMemory ? local.denials() : DenialStore.NONE));
        if (inMemory || redis.isPresent()) {
            startTimers();
        }

        LimitStore store = redis.map(shared -> TimedStore.of(shared, redisObservers.stream().toList())).orElse(local);
        ObserverChain observers = new ObserverChain(Stream.concat(Stream.of(denied), decisionObservers.stream()).toList());
        observers.expect(
                settings.policies().values().stream().filter(policy -> settings.enabled() && policy.enabled()).toList());
        LongSupplier ahead = clock.ahead();
        DenialCache denials = new DenialCache(ahead);
        BoundedCount delayed = new BoundedCount(settings.maxDelayed());
        Timers timers = new Timers(vertx);
        BeanResolvers resolvers = new BeanResolvers(keysByName, plansByName, settings.timeout(),
                clock.ofThisInstance(Clock.systemUTC()));
        limits = new LimitsInForce(resolvers, overrides);
        leases = new LeaseRenewal(vertx, store, local);
        refunds = new Refunds(store, local, denials);
        prefetched = new PrefetchedPermits(store, refunds, ids, timers, () -> System.nanoTime() + 1_000 * ahead.getAsLong());
        administration = new Administration(store, local, overrides, denials, prefetched);
        boolean prefetches = redis.isPresent()
                && settings.policies().values().stream().anyMatch(policy -> !policy.prefetch().isOff());
        Decider decider = new Decider(prefetches ? prefetched : store, counts, local, leases, refunds, denials,
                settings.replicas());
        engine = new Engine(new CallResolver(resolvers, overrides, ids), decider,
                new DelayedCalls(decider, refunds, delayed, timers, ids),
                new WaitQueues(delayed, timers), observers, ids, settings.timeout(), counts);
        LOG.infof("Rate limits are %s: policies %s, limited methods %d",
                inMemory ? "on, in the memory of this instance" : settings.enabled() ? "on" : "off",
                settings.policies().keySet(), usages.methods().size());
    }

    /**
     * Groups the beans by their {@code @Identifier}, without those for which CDI prefers another bean. Creates no bean
     * before its first use.
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

    private static <T> Map<String, Integer> counts(Map<String, List<Supplier<T>>> byName) {
        Map<String, Integer> counts = new HashMap<>();
        byName.forEach((name, beans) -> counts.put(name, beans.size()));
        return counts;
    }

    /** Connects, and waits up to a second so that the first calls find an open connection. */
    private RedisStore connect(RedisClients clients, String name) {
        RedisStore store = clients.store(name, settings.keyPrefix(), settings.timeout(), clock);
        waitFor(store.open());
        return store;
    }

    /** Never fails, as a failed startup would leave the connections open. */
    private static void waitFor(CompletionStage<Void> done) {
        try {
            done.toCompletableFuture().get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException notYet) {
            LOG.debug("Redis is not connected yet");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void startTimers() {
        waitFor(overrides.refresh().subscribeAsCompletionStage());
        long timer = vertx.setPeriodic(REFRESH_MILLIS, ignored -> overrides.refresh().subscribe().with(seen -> {
        }, unavailable -> LOG.debugf("Overrides could not be read: %s", unavailable.getMessage())));
        long moving = vertx.setPeriodic(MOVE_DENIALS_MILLIS, ignored -> denied.move().subscribe().with(moved -> {
        }, unavailable -> LOG.debugf("Denials were not counted: %s", unavailable.getMessage())));
        stopTimers = () -> {
            vertx.cancelTimer(timer);
            vertx.cancelTimer(moving);
        };
    }

    @Produces
    @Singleton
    Settings settings() {
        return settings;
    }

    @Produces
    @Singleton
    RuleRegistry rules() {
        return registry;
    }

    @Produces
    @Singleton
    Engine engine() {
        return engine;
    }

    /** Not among the observers that the application provides. */
    @Produces
    @Singleton
    @Typed(MostDenied.class)
    MostDenied denied() {
        return denied;
    }

    @Produces
    @Singleton
    LimitsInForce limits() {
        return limits;
    }

    @Produces
    @Singleton
    Refunds refunds() {
        return refunds;
    }

    @Produces
    @Singleton
    CostSettlement settlement() {
        return new CostSettlement(engine, refunds, limits);
    }

    @Produces
    @Singleton
    LeaseRenewal leases() {
        return leases;
    }

    @Produces
    @Singleton
    Administration administration() {
        return administration;
    }

    @Produces
    @Singleton
    CallIds ids() {
        return ids;
    }

    @Produces
    @Singleton
    RedisInUse redisInUse() {
        return redisInUse;
    }

    @Produces
    @Singleton
    LimiterClock clock() {
        return clock;
    }

    @Produces
    @Singleton
    LocalStore local() {
        return local;
    }

    /**
     * Releases the permits of calls that still run and those that were acquired ahead, then stops settlements and the retries
     * of
     * refunds.
     */
    @PreDestroy
    void stop() {
        stopTimers.run();
        leases.stop().await().indefinitely();
        waitFor(prefetched.stop().subscribeAsCompletionStage());
        refunds.stop();
        redis.ifPresent(RedisStore::close);
    }

    private final class RedisOfClients implements RedisInUse {

        private final RedisClients clients;
        private final String name;

        RedisOfClients(RedisClients clients, String name) {
            this.clients = clients;
            this.name = name;
        }

        @Override
        public Optional<RedisState> state() {
            return redis.map(RedisStore::state);
        }

        @Override
        public void require() {
            if (redis.isEmpty() && settings.enabled() && !settings.countsInMemory()) {
                clients.require(name);
            }
        }
    }
}
