package io.quarkiverse.ratelimit.deployment;

import java.util.Collection;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.IndexView;

import io.quarkus.bootstrap.model.ApplicationModel;
import io.quarkus.deployment.ApplicationArchive;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.ApplicationArchivesBuildItem;
import io.quarkus.deployment.pkg.builditem.CurateOutcomeBuildItem;
import io.quarkus.maven.dependency.ArtifactCoords;
import io.quarkus.maven.dependency.ArtifactKey;
import io.quarkus.redis.client.RedisClient;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.client.reactive.ReactiveRedisClient;
import io.quarkus.redis.datasource.ReactiveRedisDataSource;
import io.quarkus.redis.datasource.RedisDataSource;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisAPI;

/** Finds out whether the application uses Redis itself: its classes, or another extension. */
class ApplicationRedisProcessor {

    private static final ArtifactKey REDIS_CLIENT = jar("io.quarkus", "quarkus-redis-client");
    private static final Set<ArtifactKey> OF_THE_LIMITER = Set.of(REDIS_CLIENT,
            jar("io.smallrye.reactive", "smallrye-mutiny-vertx-redis-client"),
            jar("io.quarkiverse.ratelimit", "quarkus-rate-limit"),
            jar("io.quarkiverse.ratelimit", "quarkus-rate-limit-test"));
    private static final List<Class<?>> CLIENTS = List.of(RedisDataSource.class, ReactiveRedisDataSource.class, Redis.class,
            RedisAPI.class, io.vertx.mutiny.redis.client.Redis.class, io.vertx.mutiny.redis.client.RedisAPI.class,
            RedisClient.class, ReactiveRedisClient.class, RedisClientName.class);

    private static ArtifactKey jar(String group, String artifact) {
        return ArtifactKey.of(group, artifact, ArtifactCoords.DEFAULT_CLASSIFIER, ArtifactCoords.TYPE_JAR);
    }

    @BuildStep
    ApplicationRedisBuildItem findUse(ApplicationArchivesBuildItem archives, CurateOutcomeBuildItem curated) {
        return new ApplicationRedisBuildItem(
                isUsedByClasses(archives.getAllApplicationArchives()) || isUsedByExtensions(curated.getApplicationModel()));
    }

    private static boolean isUsedByClasses(Collection<ApplicationArchive> archives) {
        return archives.stream().filter(archive -> !OF_THE_LIMITER.contains(archive.getKey())).map(ApplicationArchive::getIndex)
                .anyMatch(ApplicationRedisProcessor::usesClient);
    }

    private static boolean usesClient(IndexView index) {
        return CLIENTS.stream().anyMatch(client -> !index.getKnownUsers(client).isEmpty());
    }

    private static boolean isUsedByExtensions(ApplicationModel application) {
        return application.getRuntimeDependencies().stream()
                .filter(dependency -> dependency.isRuntimeExtensionArtifact() && !OF_THE_LIMITER.contains(dependency.getKey()))
                .flatMap(extension -> extension.getDirectDependencies().stream())
                // metrics know the Redis client and do not need it
                .filter(dependency -> !dependency.isOptional())
                .map(ArtifactCoords::getKey).anyMatch(REDIS_CLIENT::equals);
    }
}
