package io.quarkiverse.ratelimit.runtime.config;

import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;

/** Paths that are limited without annotations, before authentication. */
@ConfigGroup
public interface RouteConfig {

    /**
     * Which paths, comma-separated: patterns as in {@code quarkus.http.auth.permission}, such as {@code /login} or
     * {@code /api/*}. Those that do not begin with the non-application root, {@code /q}, spare it. Required.
     */
    Optional<String> paths();

    /** Which HTTP methods, comma-separated, such as {@code POST}; {@code GET} is limited with {@code HEAD}. */
    @ConfigDocDefault("all")
    Optional<String> methods();

    /**
     * The policy that limits them. Its {@code key} must not name {@code principal}, {@code claim}, {@code method} or
     * {@code path}, its {@code plan} no {@code claim} or {@code roles}, and it must have no {@code exempt-roles}: the request
     * is not authenticated yet and no method is chosen. Required.
     */
    Optional<String> policy();
}
