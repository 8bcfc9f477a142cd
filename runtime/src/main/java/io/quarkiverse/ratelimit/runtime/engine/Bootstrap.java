package io.quarkiverse.ratelimit.runtime.engine;

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

import io.quarkiverse.ratelimit.runtime.config.RateLimitBuildTimeConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUsages;
import io.quarkiverse.ratelimit.runtime.redis.RedisClients;
import io.quarkiverse.ratelimit.runtime.redis.RedisState;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.settings.BeanNames;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.settings.SettingsReader;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.runtime.Startup;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.config.SmallRyeConfig;
import io.vertx.core.Vertx;

/** Creates the limiter when the application starts, and closes it when the application stops. */
@Startup
@Singleton
public class Bootstrap {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long LOOK_MILLIS = 500;
    private static final long MOVE_DENIALS_MILLIS = 1_000;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Settings settings;
    private final RuleRegistry registry;
    private final LimiterClock clock = new LimiterClock();
    private final LocalStore local = new LocalStore(clock.ofThisInstance(Clock.systemUTC()));
    private final Optional<RedisStore> redis;
    private final Overrides overrides;
    private final MostDenied denied;
    private final Engine engine;
    private final Runnable requireRedis;
    private final Vertx vertx;
    private Runnable stopTimers = () -> {
    };

    Bootstrap(RateLimitConfig config, RateLimitBuildTimeConfig buildTime, PolicyUsages users, Vertx vertx,
            RedisClients clients, @Any Instance<RateLimitKeyResolver> keys, @Any Instance<RateLimitPlanResolver> plans,
            @Any Instance<DecisionObserver> decisionObservers, @Any Instance<RedisObserver> redisObservers, BeanManager beans) {
        this.vertx = vertx;
        SmallRyeConfig source = ConfigProvider.getConfig().unwrap(SmallRyeConfig.class);
        Map<String, List<Supplier<RateLimitKeyResolver>>> keysByName = byName(RateLimitKeyResolver.class, keys, beans);
        Map<String, List<Supplier<RateLimitPlanResolver>>> plansByName = byName(RateLimitPlanResolver.class, plans, beans);
        settings = SettingsReader.read(config, source, users, new BeanNames(counts(keysByName), counts(plansByName)));
        registry = new RuleRegistry(users.methods(), settings);
        redis = settings.enabled() && (!settings.policies().isEmpty() || clients.isConfigured(buildTime.redisClient()))
                ? Optional.of(connect(clients, buildTime.redisClient()))
                : Optional.empty();
        overrides = new Overrides(redis.map(store -> store.overrides(settings.keyPrefix(), clock)).orElse(OverrideStore.NONE),
                clock.ofThisInstance(Clock.systemUTC()));
        denied = new MostDenied(redis.map(store -> store.denials(settings.keyPrefix(), clock)).orElse(DenialStore.NONE));
        redis.ifPresent(store -> startTimers());
        ObserverChain observers = new ObserverChain(Stream.concat(Stream.of(denied), decisionObservers.stream()).toList());
        observers.expect(
                settings.policies().values().stream().filter(policy -> settings.enabled() && policy.enabled()).toList());
        engine = new Engine(
                redis.map(store -> TimedStore.of(store, redisObservers.stream().toList())).orElse(local), local, overrides,
                new BeanResolvers(keysByName, plansByName, settings.timeout()), new DenialCache(clock::ahead), vertx,
                settings.maxDelayed(), observers);
        requireRedis = redis.isPresent() || !settings.enabled() ? () -> {
        } : () -> clients.require(buildTime.redisClient());
        LOG.infof("Rate limits are %s: policies %s, limited methods %d", settings.enabled() ? "on" : "off",
                settings.policies().keySet(), users.methods().size());
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
        } catch (TimeoutException | ExecutionException stillAway) {
            LOG.debug("Redis is not connected yet");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void startTimers() {
        waitFor(overrides.refresh().subscribeAsCompletionStage());
        long looking = vertx.setPeriodic(LOOK_MILLIS, ignored -> overrides.refresh().subscribe().with(seen -> {
        }, unavailable -> LOG.debugf("Overrides could not be read: %s", unavailable.getMessage())));
        long moving = vertx.setPeriodic(MOVE_DENIALS_MILLIS, ignored -> denied.move().subscribe().with(moved -> {
        }, unavailable -> LOG.debugf("Denials were not counted: %s", unavailable.getMessage())));
        stopTimers = () -> {
            vertx.cancelTimer(looking);
            vertx.cancelTimer(moving);
        };
    }

    /** @throws ConfigurationException when the location of Redis is not configured */
    public void requireRedis() {
        requireRedis.run();
    }

    /** The last known state of Redis, without a request to it; empty where the limiter does not use Redis. */
    public Optional<RedisState> redisState() {
        return redis.map(RedisStore::state);
    }

    @Produces
    @Singleton
    Settings settings() {
        return settings;
    }

    @Produces
    @Singleton
    RuleRegistry limits() {
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
    LimiterClock clock() {
        return clock;
    }

    @Produces
    @Singleton
    LocalStore local() {
        return local;
    }

    @PreDestroy
    void stop() {
        stopTimers.run();
        engine.stop().await().indefinitely();
        redis.ifPresent(RedisStore::close);
    }
}
