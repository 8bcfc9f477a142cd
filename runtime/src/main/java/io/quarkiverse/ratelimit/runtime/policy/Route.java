package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;
import java.util.Set;

/**
 * Applies a policy to paths.
 *
 * @param paths patterns as in {@code quarkus.http.auth.permission}
 * @param except patterns of paths to which it does not apply
 * @param methods HTTP methods in upper case; empty for all
 */
public record Route(String name, List<String> paths, List<String> except, Set<String> methods, Policy policy) {
}
