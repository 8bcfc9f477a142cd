package io.quarkiverse.ratelimit.deployment.devservices;

import static io.quarkus.redis.runtime.client.config.RedisConfig.HOSTS;
import static io.quarkus.redis.runtime.client.config.RedisConfig.HOSTS_PROVIDER_NAME;
import static io.quarkus.redis.runtime.client.config.RedisConfig.getPropertyName;
import static io.quarkus.redis.runtime.client.config.RedisConfig.isDefaultClient;

import java.util.Map;

import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitBuildTimeConfig;
import io.quarkus.deployment.IsDevServicesSupportedByLaunchMode;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.builditem.CuratedApplicationShutdownBuildItem;
import io.quarkus.deployment.builditem.DevServicesAdditionalConfigBuildItem;
import io.quarkus.deployment.builditem.DevServicesResultBuildItem;
import io.quarkus.deployment.builditem.DockerStatusBuildItem;
import io.quarkus.deployment.builditem.LaunchModeBuildItem;
import io.quarkus.deployment.dev.devservices.DevServicesConfig.Enabled;
import io.quarkus.deployment.logging.LogCleanupFilterBuildItem;
import io.quarkus.redis.deployment.client.DevServicesConfig;
import io.quarkus.redis.deployment.client.DevServicesRedisProcessor;
import io.quarkus.redis.deployment.client.RedisBuildTimeConfig;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.ConfigUtils;

/**
 * Starts a {@link LocalRedis} for the limiter's client if neither the configuration nor a container provides a Redis.
 */
@BuildSteps(onlyIf = { IsDevServicesSupportedByLaunchMode.class, Enabled.class })
public class LocalRedisProcessor {

    private static final String FEATURE = "rate-limit";
    private static final String DESCRIPTION = "Local Redis for the rate limits";

    /**
     * Produces a log filter, so that this step runs before the step of the Redis extension, which needs the logging setup.
     */
    @BuildStep
    void startLocalRedis(RateLimitBuildTimeConfig config, RedisBuildTimeConfig redisConfig, DockerStatusBuildItem docker,
            ApplicationRedisBuildItem applicationRedis, LaunchModeBuildItem launchMode,
            CuratedApplicationShutdownBuildItem shutdown,
            BuildProducer<DevServicesResultBuildItem> devServices,
            BuildProducer<DevServicesAdditionalConfigBuildItem> additionalConfig,
            BuildProducer<LogCleanupFilterBuildItem> logFilters) {
        String client = config.redisClient();
        if (UnusedRedis.isDisabled() && !applicationRedis.isUsed()) {
            if (launchMode.getLaunchMode().isDev()) {
                ContainerRuntime.isAvailable(docker, launchMode.getLaunchMode());
            }
            return;
        }
        if (!config.devServicesEnabled() || isConfigured(client)) {
            return;
        }
        DevServicesConfig redisDevServices = redisConfig.clients().get(client).devservices();
        LocalRedis redis = new LocalRedis(System.getenv().getOrDefault("PATH", ""), redisDevServices.port());
        boolean forAnotherJvm = launchMode.getLaunchMode() == LaunchMode.RUN;
        if (needsContainer(client, redisConfig, docker, launchMode.getLaunchMode())) {
            if (forAnotherJvm) {
                additionalConfig.produce(new DevServicesAdditionalConfigBuildItem(
                        found -> startUnlessFound(redis, client, found, shutdown)));
            }
            return;
        }
        logFilters.produce(new LogCleanupFilterBuildItem(DevServicesRedisProcessor.class.getName(),
                "Please configure quarkus.redis.hosts for %s or get a working docker instance"
                        .formatted(isDefaultClient(client) ? "default redis client" : client)));
        devServices.produce(forAnotherJvm
                ? startNow(redis, client, shutdown)
                : startWithApplication(redis, client, redisDevServices));
    }

    private static boolean isConfigured(String client) {
        return ConfigUtils.isPropertyNonEmpty(getPropertyName(client, HOSTS))
                || ConfigUtils.isPropertyNonEmpty(getPropertyName(client, HOSTS_PROVIDER_NAME));
    }

    private static boolean needsContainer(String client, RedisBuildTimeConfig config, DockerStatusBuildItem docker,
            LaunchMode launchMode) {
        boolean known = isDefaultClient(client) || config.clients().containsKey(client);
        boolean wanted = known && config.clients().get(client).devservices().enabled();
        // in dev mode Quarkus checks for a container runtime in any case and logs an error unless it was checked before
        return (wanted || launchMode.isDev()) && ContainerRuntime.isAvailable(docker, launchMode) && wanted;
    }

    private static DevServicesResultBuildItem startWithApplication(LocalRedis redis, String client,
            DevServicesConfig config) {
        return DevServicesResultBuildItem.<LocalRedis> owned().feature(FEATURE).serviceName(client)
                .serviceConfig(config).description(DESCRIPTION)
                .startable(() -> redis)
                .postStartHook(LocalRedis::announce)
                .configProvider(Map.of(getPropertyName(client, HOSTS), LocalRedis::getConnectionInfo))
                .build();
    }

    /**
     * Starts the local Redis unless Compose has started a container. Other containers start with the application, so
     * {@code quarkus:run} never starts one.
     */
    static Map<String, String> startUnlessFound(LocalRedis redis, String client, Map<String, String> found,
            CuratedApplicationShutdownBuildItem shutdown) {
        String hosts = getPropertyName(client, HOSTS);
        if (found.containsKey(hosts)) {
            return Map.of();
        }
        redis.start();
        redis.announce();
        shutdown.addCloseTask(redis::close, true);
        return Map.of(hosts, redis.getConnectionInfo());
    }

    /**
     * Starts the local Redis during the build, because {@code quarkus:run} starts another JVM for the application and passes
     * only the values that are known at the end of the build. The property prevents the Redis extension from searching for a
     * container and logging a warning without one.
     */
    private static DevServicesResultBuildItem startNow(LocalRedis redis, String client,
            CuratedApplicationShutdownBuildItem shutdown) {
        String hosts = getPropertyName(client, HOSTS);
        Map<String, String> started = startUnlessFound(redis, client, Map.of(), shutdown);
        System.setProperty(hosts, redis.getConnectionInfo());
        shutdown.addCloseTask(() -> System.clearProperty(hosts), true);
        return DevServicesResultBuildItem.owned().feature(FEATURE).serviceName(client).description(DESCRIPTION).config(started)
                .build();
    }
}
