package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;
import java.util.Set;

/**
 * Applies a policy to paths.
 *
 * @param paths patterns as in {@code quarkus.http.auth.permission}
 * @param methods HTTP methods in upper case; empty for all
 */
public record Route(String name, List<String> paths, Set<String> methods, Policy policy) {

    public Route {
        paths = List.copyOf(paths);
        methods = Set.copyOf(methods);
    }
}
