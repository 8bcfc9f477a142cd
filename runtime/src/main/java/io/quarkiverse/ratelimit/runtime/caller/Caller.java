package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;

import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.common.net.CidrAddress;
import io.smallrye.mutiny.Uni;

/**
 * Gives access to the attributes of a caller. An attribute that the entry point cannot provide is {@code null}. Of several
 * headers, cookies or query parameters of one name, the first counts. Those that need the authenticated caller are unknown
 * until {@link #identity} completes.
 */
public interface Caller {

    /** Caller without any attributes. */
    Caller UNKNOWN = new Caller() {
    };

    /** Returns the caller's address as it appears in keys, such as {@code 203.0.113.7} or {@code 2001:db8:1:2::/64}. */
    default String address() {
        return null;
    }

    /** Returns whether the caller's address is certain and is in one of these blocks. */
    default boolean isFrom(List<CidrAddress> blocks) {
        return false;
    }

    default String header(String name) {
        return null;
    }

    default String cookie(String name) {
        return null;
    }

    default String query(String name) {
        return null;
    }

    default String path(String name) {
        return null;
    }

    /** Authenticates the caller if necessary. The item is {@code null} if the entry point has no authentication. */
    default Uni<SecurityIdentity> identity() {
        return Uni.createFrom().nullItem();
    }

    default SecurityIdentity knownIdentity() {
        return null;
    }

    default String principal() {
        return Identities.principal(knownIdentity());
    }

    /** Returns whether the caller is known to be authenticated, without authenticating it. */
    default boolean isAuthenticated() {
        return principal() != null;
    }

    /** @param name the name of a claim of the caller's token, or a path such as {@code org/id} to a claim within claims */
    default String claim(String name) {
        return Identities.claim(knownIdentity(), name);
    }

    default boolean hasRole(String role) {
        return knownIdentity() != null && knownIdentity().hasRole(role);
    }

    /** Records that rules of routes charge this request, before routing selects its method. */
    default void recordCharge(String policy, String key) {
    }

    /** Records that a policy does not limit the caller of this request. Returns whether this was not yet recorded. */
    default boolean recordExemption(String policy) {
        return true;
    }

    /** Returns whether rules of routes have charged this request. */
    default boolean isCharged(String policy, String key) {
        return false;
    }
}
