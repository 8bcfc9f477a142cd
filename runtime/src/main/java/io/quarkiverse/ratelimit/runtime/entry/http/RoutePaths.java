package io.quarkiverse.ratelimit.runtime.entry.http;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.platform.vertx.ServedRequest;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkus.vertx.http.runtime.VertxHttpBuildTimeConfig;
import io.quarkus.vertx.http.runtime.security.ImmutablePathMatcher;

/**
 * Matches paths to a route, as Quarkus' own matcher does for {@code quarkus.http.auth.permission}. Paths of the
 * non-application root, such as {@code /q/health}, match only patterns that begin with this root.
 */
final class RoutePaths {

    private static final Pattern MATRIX_PARAMETERS = Pattern.compile(";[^/]*");

    private final Route route;
    private final Predicate<String> frameworkPaths;
    /** The value of a pattern is whether it begins with the non-application root. */
    private final ImmutablePathMatcher<Boolean> limited;
    private final ImmutablePathMatcher<Boolean> excepted;

    RoutePaths(Route route, VertxHttpBuildTimeConfig http) {
        this.route = route;
        this.frameworkPaths = frameworkPaths(http);
        this.limited = matcher(route.paths(), http);
        this.excepted = matcher(route.except(), http);
    }

    /**
     * Accepts the non-application root and all paths and patterns in it. Accepts none if it is the root of the application.
     */
    static Predicate<String> frameworkPaths(VertxHttpBuildTimeConfig http) {
        String path = http.nonApplicationRootPath().strip();
        String root = ((path.startsWith("/") ? path : http.rootPath() + path) + '/').replaceAll("/+", "/");
        if (root.equals("/") || root.equals(http.rootPath())) {
            return any -> false;
        }
        String withoutSlash = root.substring(0, root.length() - 1);
        return any -> any.startsWith(root) || any.equals(withoutSlash) || any.equals(withoutSlash + '*');
    }

    private ImmutablePathMatcher<Boolean> matcher(List<String> patterns, VertxHttpBuildTimeConfig http) {
        var matcher = ImmutablePathMatcher.<Boolean> builder().rootPath(http.rootPath());
        patterns.forEach(pattern -> matcher.addPath(pattern,
                frameworkPaths.test(pattern.startsWith("/") ? pattern : http.rootPath() + pattern)));
        return matcher.build();
    }

    Route route() {
        return route;
    }

    /** Returns whether the route limits a path that has these readings: if any of them is limited and not excepted. */
    boolean limits(String method, Collection<String> readings) {
        return (route.methods().isEmpty() || route.methods().contains(method))
                && readings.stream().anyMatch(path -> contain(path) && excepted.match(path).getValue() == null);
    }

    private boolean contain(String path) {
        Boolean ofFramework = limited.match(path).getValue();
        return ofFramework != null && (ofFramework || !frameworkPaths.test(path));
    }

    /**
     * Returns every reading of a request's path by anything that may serve it, so that no spelling bypasses a limit. Vert.x
     * routes match the normalized path. Quarkus REST and RESTEasy match it without matrix parameters and perhaps decoded.
     * Static resources are looked up by the path that is decoded, with its matrix parameters and with slashes in place of
     * backslashes, before its dots are removed.
     *
     * @param normalized the same path as Vert.x normalizes it: without dots, double slashes and needless escapes
     */
    static Collection<String> readings(String path, String normalized) {
        boolean plain = normalized.indexOf(';') < 0 && normalized.indexOf('%') < 0 && path.indexOf('\\') < 0;
        if (plain && path.equals(normalized)) {
            return List.of(normalized);
        }
        String matched = withoutMatrixParameters(normalized);
        Set<String> readings = new HashSet<>(Arrays.asList(normalized, matched, withoutMatrixParameters(path),
                ServedRequest.pathWithoutDots(matched)));
        for (String encoded : List.of(matched, normalized)) {
            String decoded = ServedRequest.decodedPath(encoded);
            readings.add(decoded);
            readings.add(ServedRequest.pathWithoutDots(decoded));
            readings.add(ServedRequest.pathWithoutDots(decoded.replace('\\', '/')));
        }
        return readings;
    }

    private static String withoutMatrixParameters(String path) {
        return path.indexOf(';') < 0 ? path : MATRIX_PARAMETERS.matcher(path).replaceAll("");
    }
}
