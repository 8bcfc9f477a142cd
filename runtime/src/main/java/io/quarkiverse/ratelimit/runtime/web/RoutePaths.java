package io.quarkiverse.ratelimit.runtime.web;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkus.vertx.http.runtime.VertxHttpBuildTimeConfig;
import io.quarkus.vertx.http.runtime.security.ImmutablePathMatcher;

/**
 * Matches paths to a route, as Quarkus' own matcher does for {@code quarkus.http.auth.permission}. Paths of the
 * non-application root, such as {@code /q/health}, match only patterns that begin with this root.
 */
final class RoutePaths {

    private final Route route;
    private final String frameworkRoot;
    private final ImmutablePathMatcher<Route> application;
    private final ImmutablePathMatcher<Route> framework;
    private final ImmutablePathMatcher<Route> excepted;

    RoutePaths(Route route, VertxHttpBuildTimeConfig http) {
        this.route = route;
        this.frameworkRoot = frameworkRoot(http);
        this.application = matcher(route.paths(), http, pattern -> true);
        this.excepted = matcher(route.except(), http, pattern -> true);
        this.framework = matcher(route.paths(), http,
                pattern -> isFramework(pattern.startsWith("/") ? pattern : http.rootPath() + pattern));
    }

    /** Ends with a slash; {@code null} where it is the root of the application. */
    private static String frameworkRoot(VertxHttpBuildTimeConfig http) {
        String path = http.nonApplicationRootPath().strip();
        String root = (path.startsWith("/") ? path : http.rootPath() + path) + '/';
        root = root.replaceAll("/+", "/");
        return root.equals("/") || root.equals(http.rootPath()) ? null : root;
    }

    private ImmutablePathMatcher<Route> matcher(List<String> patterns, VertxHttpBuildTimeConfig http,
            Predicate<String> included) {
        var matcher = ImmutablePathMatcher.<Route> builder().rootPath(http.rootPath());
        for (String pattern : patterns) {
            if (included.test(pattern)) {
                matcher.addPath(pattern, route);
            }
        }
        return matcher.build();
    }

    Route route() {
        return route;
    }

    /** Whether the route limits a path that has these readings: if any of them is limited and not excepted. */
    boolean limit(Collection<String> readings) {
        return readings.stream().anyMatch(path -> contain(path) && excepted.match(path).getValue() == null);
    }

    private boolean contain(String path) {
        return (isFramework(path) ? framework : application).match(path).getValue() != null;
    }

    /** Whether a path, or what a pattern matches, is the non-application root or lies in it. */
    private boolean isFramework(String path) {
        if (frameworkRoot == null) {
            return false;
        }
        int root = frameworkRoot.length() - 1;
        return path.startsWith(frameworkRoot) || path.startsWith(frameworkRoot.substring(0, root))
                && (path.length() == root || path.substring(root).equals("*"));
    }
}
