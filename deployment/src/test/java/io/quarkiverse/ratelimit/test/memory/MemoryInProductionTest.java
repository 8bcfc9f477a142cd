package io.quarkiverse.ratelimit.test.memory;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.QuarkusProdModeTest;
import io.restassured.response.Response;

/** A packaged application that was built for Redis starts with {@code store=memory}, and needs no Redis. */
@Tag("slow")
class MemoryInProductionTest {

    private static final Map<String, String> IN_MEMORY = Map.of("quarkus.rate-limit.store", "memory");

    @RegisterExtension
    static final QuarkusProdModeTest APP = new QuarkusProdModeTest()
            .setForcedDependencies(List.of(
                    Dependency.of("io.quarkus", "quarkus-rest-deployment", Version.getVersion()),
                    Dependency.of("io.quarkus", "quarkus-smallrye-health-deployment", Version.getVersion())))
            .withApplicationRoot(jar -> jar.addClasses(Resource.class))
            .overrideConfigKey("quarkus.rate-limit.policies.two.permits", "2")
            .overrideConfigKey("quarkus.rate-limit.policies.two.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.two.key", "ip")
            .setRuntimeProperties(IN_MEMORY)
            .setRun(true);

    @AfterEach
    void startWithoutRedis() {
        APP.stop();
        APP.setRuntimeProperties(IN_MEMORY);
        APP.start();
    }

    @Test
    void hostsAreNotNeeded() {
        assertLimitedAndReady();
    }

    @Test
    void unavailableRedisDoesNotMatter() {
        Map<String, String> unavailable = new HashMap<>(IN_MEMORY);
        unavailable.put("quarkus.redis.hosts", "redis://127.0.0.1:1");
        APP.stop();
        APP.setRuntimeProperties(unavailable);
        APP.start();

        assertLimitedAndReady();
    }

    private static void assertLimitedAndReady() {
        assertThat(get("/two").header("RateLimit")).startsWith("\"two\";r=1");
        assertThat(get("/two").statusCode()).isEqualTo(200);
        assertThat(get("/two").statusCode()).isEqualTo(429);

        Response ready = get("/q/health/ready");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.asString()).doesNotContainIgnoringCase("redis");
        assertThat(APP.getStartupConsoleOutput()).contains("Rate limits are on, in the memory of this instance")
                .doesNotContain("WARN", "127.0.0.1:1");
    }

    @Path("/two")
    public static class Resource {

        @GET
        @RateLimited("two")
        public String two() {
            return "ok";
        }
    }
}
