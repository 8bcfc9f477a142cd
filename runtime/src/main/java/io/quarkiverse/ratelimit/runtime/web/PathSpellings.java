package io.quarkiverse.ratelimit.runtime.web;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.vertx.UriPath;
import io.vertx.ext.web.RoutingContext;

/**
 * Returns every reading of a request's path by anything that may serve it, so that no spelling bypasses a limit. Vert.x
 * routes match the normalized path. Quarkus REST and RESTEasy match it without matrix parameters and perhaps decoded.
 * Static resources are looked up by the path that is decoded, with its matrix parameters and with slashes in place of
 * backslashes, before its dots are removed.
 */
final class PathSpellings {

    private static final Pattern MATRIX_PARAMETERS = Pattern.compile(";[^/]*");

    private PathSpellings() {
    }

    static Collection<String> of(RoutingContext routing) {
        return of(routing.request().path(), routing.normalizedPath());
    }

    /** @param normalized the same path as Vert.x normalizes it: without dots, double slashes and needless escapes */
    static Collection<String> of(String path, String normalized) {
        boolean plain = normalized.indexOf(';') < 0 && normalized.indexOf('%') < 0 && path.indexOf('\\') < 0;
        if (plain && path.equals(normalized)) {
            return List.of(normalized);
        }
        String matched = withoutMatrixParameters(normalized);
        Set<String> readings = new LinkedHashSet<>(List.of(normalized));
        readings.add(matched);
        readings.add(withoutMatrixParameters(path));
        readings.add(UriPath.withoutDots(matched));
        for (String encoded : List.of(matched, normalized)) {
            String decoded = UriPath.decoded(encoded);
            readings.add(decoded);
            readings.add(UriPath.withoutDots(decoded));
            readings.add(UriPath.withoutDots(decoded.replace('\\', '/')));
        }
        return readings;
    }

    private static String withoutMatrixParameters(String path) {
        return path.indexOf(';') < 0 ? path : MATRIX_PARAMETERS.matcher(path).replaceAll("");
    }
}
