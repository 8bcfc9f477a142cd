package io.quarkiverse.ratelimit.deployment.devservices;

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

/** Finds out whether the application uses Redis itself: its classes, or another extension. */
class ApplicationRedisProcessor {

    private static final ArtifactKey REDIS_CLIENT = jar("io.quarkus", "quarkus-redis-client");
    private static final Set<ArtifactKey> OF_THE_LIMITER = Set.of(REDIS_CLIENT,
            jar("io.smallrye.reactive", "smallrye-mutiny-vertx-redis-client"),
            jar("io.quarkiverse.ratelimit", "quarkus-rate-limit"),
            jar("io.quarkiverse.ratelimit", "quarkus-rate-limit-test"));
    /** Client classes as text, because some of them are deprecated. */
    public static final List<String> CLIENTS = List.of("io.quarkus.redis.datasource.RedisDataSource",
            "io.quarkus.redis.datasource.ReactiveRedisDataSource", "io.vertx.redis.client.Redis",
            "io.vertx.redis.client.RedisAPI", "io.vertx.mutiny.redis.client.Redis", "io.vertx.mutiny.redis.client.RedisAPI",
            "io.quarkus.redis.client.RedisClient", "io.quarkus.redis.client.reactive.ReactiveRedisClient",
            "io.quarkus.redis.client.RedisClientName");

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
