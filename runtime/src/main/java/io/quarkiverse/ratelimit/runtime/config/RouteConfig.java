package io.quarkiverse.ratelimit.runtime.config;

import java.util.List;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;

/** Paths that are limited without annotations, before authentication. */
@ConfigGroup
public interface RouteConfig {

    /**
     * The limited paths: patterns as in {@code quarkus.http.auth.permission}, such as {@code /login} or {@code /api/*}. A
     * pattern limits paths below the non-application root, {@code /q}, only if it begins with that root. Required.
     */
    Optional<List<String>> paths();

    /**
     * Paths that are not limited although {@code paths} contains them: patterns of the same kind, such as
     * {@code /api/assets/*}. A request is not limited if its path matches one in every form in which a server may interpret it.
     * A pattern that leaves nothing out stops the start.
     */
    Optional<List<String>> except();

    /** The limited HTTP methods, such as {@code POST}; {@code GET} includes {@code HEAD}. */
    @ConfigDocDefault("all")
    Optional<List<String>> methods();

    /**
     * The policy that limits the paths. The request is not authenticated yet, and no method is chosen. So the policy's
     * {@code key} must not contain {@code principal}, {@code claim}, {@code method} or {@code path}, its {@code plan} must not
     * be {@code claim} or {@code roles}, and it must not have {@code exempt-roles}. Required.
     */
    Optional<String> policy();
}
