package io.quarkiverse.ratelimit.test.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.QuarkusUnitTest;

class NoPoliciesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(List.of(
                    Dependency.of("io.quarkus", "quarkus-smallrye-health-deployment", Version.getVersion())))
            .withApplicationRoot(jar -> jar.addClass(Readiness.class))
            .overrideConfigKey("quarkus.devservices.enabled", "false")
            .overrideConfigKey("quarkus.rate-limit.devservices.enabled", "false");

    @Test
    void checkReportsThatRedisIsNotUsed() {
        assertThat(Readiness.data())
                .isEqualTo(Map.of("rate-limits", "on", "on-redis-failure", "no policies", "redis", "not used"));
    }
}
