package io.quarkiverse.ratelimit.test.routes;

import static io.quarkiverse.ratelimit.test.routes.Routes.policy;
import static io.quarkiverse.ratelimit.test.routes.Routes.route;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.QuarkusUnitTest;
import io.vertx.ext.web.Router;

/** Routes limit the non-application root only if their pattern begins with it, or if the path is spelled in another way. */
class FrameworkPathsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Routes.class, Wire.class, Everything.class))
            .withConfiguration(policy("many", 1_000_000, "global") + route("all", "/*", "many")
                    + route("metrics", "q/metrics/*,/q/live", "many"));

    @ParameterizedTest
    @ValueSource(strings = { "/q", "/q/", "/q/health", "/q/health/ready" })
    void otherPatternsSpareThem(String path) {
        assertThat(Wire.get(path)).startsWith("HTTP/1.1 200").doesNotContain("RateLimit");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/q/metrics", "/q/metrics/deep", "/q/live", "/", "/qq", "/q1/health", "/q/../health",
            "/q/..%2fhealth", "/q;x/health", "//q//health", "/%71/health", "/health/q/" })
    void theseAreLimited(String path) {
        assertThat(Wire.get(path)).startsWith("HTTP/1.1 200").contains("RateLimit-Policy: \"many\"");
    }

    @ApplicationScoped
    public static class Everything {
        void serve(@Observes Router router) {
            router.route().handler(context -> context.end(context.normalizedPath()));
        }
    }
}
