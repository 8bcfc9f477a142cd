package io.quarkiverse.ratelimit.runtime.entry.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkus.vertx.http.runtime.VertxHttpBuildTimeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.http.impl.HttpUtils;

/** The paths of a route, the root path of the application, and the non-application root. */
class RoutePathsTest {

    private static final RoutePaths ALL = paths(Map.of(), "/*");
    private static final RoutePaths METRICS = paths(Map.of(), "q/metrics/*", "/q/live");
    private static final RoutePaths IN_SHOP = paths(
            Map.of("quarkus.http.root-path", "/shop", "quarkus.http.non-application-root-path", "/shop"),
            "relative/*", "/shop/absolute", "/absent");

    /** Only a pattern that begins with the non-application root limits it. */
    @ParameterizedTest
    @ValueSource(strings = { "/q", "/q/", "/q/health", "/q/health/ready" })
    void otherPatternsSpareTheNonApplicationRoot(String path) {
        assertThat(limits(ALL, path)).isFalse();
        assertThat(limits(METRICS, path)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/q/metrics", "/q/metrics/deep", "/q/live" })
    void patternsThatBeginWithTheNonApplicationRootLimitIt(String path) {
        assertThat(limits(METRICS, path)).isTrue();
        assertThat(limits(ALL, path)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/", "/qq", "/q1/health", "/q/../health", "/q/..%2fhealth", "/q;x/health", "//q//health",
            "/%71/health", "/health/q/" })
    void pathThatMayBeReadAsAnotherOneIsLimited(String path) {
        assertThat(limits(ALL, path)).isTrue();
    }

    /** A non-application root that is the application's root is limited. */
    @ParameterizedTest
    @ValueSource(strings = { "/shop/relative", "/shop/relative/deep", "/shop/absolute", "/shop//%61bsolute/" })
    void patternsWithoutALeadingSlashAreRelativeToTheRootPath(String path) {
        assertThat(limits(IN_SHOP, path)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/shop/other", "/shop/absent", "/shop/shop/absolute" })
    void otherPathsBelowTheRootPathAreNotLimited(String path) {
        assertThat(limits(IN_SHOP, path)).isFalse();
    }

    private static boolean limits(RoutePaths paths, String path) {
        return paths.limits("GET", RoutePaths.readings(path, HttpUtils.normalizePath(path)));
    }

    private static RoutePaths paths(Map<String, String> properties, String... patterns) {
        return new RoutePaths(new Route("route", List.of(patterns), List.of(), Set.of(), null),
                new SmallRyeConfigBuilder().addDefaultInterceptors().addDiscoveredConverters().withDefaultValues(properties)
                        .withMapping(VertxHttpBuildTimeConfig.class).build().getConfigMapping(VertxHttpBuildTimeConfig.class));
    }
}
