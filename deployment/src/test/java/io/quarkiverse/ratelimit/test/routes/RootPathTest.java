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

/**
 * Patterns without a leading slash are relative to the application's root path. A non-application root that is the same is
 * limited.
 */
class RootPathTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Routes.class, Wire.class, Everything.class))
            .overrideConfigKey("quarkus.http.root-path", "/shop")
            .overrideConfigKey("quarkus.http.non-application-root-path", "/shop")
            .withConfiguration(policy("many", 1_000_000, "global")
                    + route("many", "relative/*,/shop/absolute,/absent", "many"));

    @ParameterizedTest
    @ValueSource(strings = { "/shop/relative", "/shop/relative/deep", "/shop/absolute", "/shop//%61bsolute/" })
    void theseAreLimited(String path) {
        assertThat(Wire.get(path)).startsWith("HTTP/1.1 200").contains("RateLimit-Policy: \"many\"");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/shop/other", "/shop/absent", "/shop/shop/absolute" })
    void theseAreNot(String path) {
        assertThat(Wire.get(path)).startsWith("HTTP/1.1 200").doesNotContain("RateLimit");
    }

    @ApplicationScoped
    public static class Everything {
        void serve(@Observes Router router) {
            router.route().handler(context -> context.end(context.normalizedPath()));
        }
    }
}
