package io.quarkiverse.ratelimit.deployment.devservices;

import static io.quarkiverse.ratelimit.deployment.devservices.LocalRedisLifetimeTest.accepts;
import static io.quarkus.redis.runtime.client.config.RedisConfig.DEFAULT_CLIENT_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;
import java.util.OptionalInt;

import org.junit.jupiter.api.Test;

import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.builditem.CuratedApplicationShutdownBuildItem;

/** {@code quarkus:run} where there is a container runtime: the Redis extension's container would not start. */
class ContainerForAnotherJvmTest {

    @Test
    void localServerStandsInUntilTheBuildEnds() {
        QuarkusClassLoader build = QuarkusClassLoader.builder("build", getClass().getClassLoader(), false).build();
        CuratedApplicationShutdownBuildItem shutdown = new CuratedApplicationShutdownBuildItem(build, true);
        LocalRedis redis = new LocalRedis(System.getenv().getOrDefault("PATH", ""), OptionalInt.empty());

        Map<String, String> config = LocalRedisProcessor.startUnlessFound(redis, DEFAULT_CLIENT_NAME, Map.of(), shutdown);

        URI address = URI.create(config.get("quarkus.redis.hosts"));
        assertThat(accepts(address)).isTrue();
        build.close();
        assertThat(accepts(address)).isFalse();
    }

    @Test
    void containerThatIsFoundIsUsed() {
        Map<String, String> found = Map.of("quarkus.redis.limits.hosts", "redis://localhost:32768");

        assertThat(LocalRedisProcessor.startUnlessFound(null, "limits", found, null)).isEmpty();
    }
}
