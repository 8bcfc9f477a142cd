package io.quarkiverse.ratelimit.runtime.config;

import java.util.List;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;

/** Administration over HTTP. */
@ConfigGroup
public interface AdminConfig {

    /**
     * The roles whose callers may administer limits, if {@code quarkus.rate-limit.admin.enabled} is {@code true}: read
     * limits, and reset, override and block any caller. Required unless the management interface is enabled. If it is
     * enabled and roles are set, {@code quarkus.management.auth.enabled} must be {@code true}, or nobody has access.
     */
    @ConfigDocDefault("none; everybody on the management interface")
    Optional<List<String>> rolesAllowed();
}
