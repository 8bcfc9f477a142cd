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
     * limits, and reset, override and block any caller. {@code **} stands for any authenticated caller. Required unless the
     * management interface is enabled. If it is enabled and roles are set, {@code quarkus.management.auth.enabled} must be
     * {@code true}, or nobody has access.
     */
    @ConfigDocDefault("none; everybody on the management interface")
    Optional<List<String>> rolesAllowed();

    /**
     * The host names of the management interface, such as {@code shop-management.internal}. IP addresses and
     * {@code localhost} need not be listed. Without {@code quarkus.rate-limit.admin.roles-allowed}, a request with any other
     * host gets status 403. Otherwise a web site whose name resolves to the interface could use it through the browser of an
     * operator.
     */
    Optional<List<String>> hosts();
}
