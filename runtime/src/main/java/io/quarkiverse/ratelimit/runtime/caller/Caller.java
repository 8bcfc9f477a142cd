package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;

import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.common.net.CidrAddress;
import io.smallrye.mutiny.Uni;

/** Gives access to the attributes of a caller. An attribute that the entry point cannot provide is {@code null}. */
public interface Caller {

    /** A caller without any attributes. */
    Caller UNKNOWN = new Caller() {
    };

    /** The caller's address as it appears in keys, such as {@code 203.0.113.7} or {@code 2001:db8:1:2::/64}. */
    default String address() {
        return null;
    }

    /** Whether the caller's address is certain and is in one of these blocks. */
    default boolean isFrom(List<CidrAddress> blocks) {
        return false;
    }

    /** The first value of a request header. */
    default String header(String name) {
        return null;
    }

    /** The first value of a cookie. */
    default String cookie(String name) {
        return null;
    }

    /** The first value of a query parameter. */
    default String query(String name) {
        return null;
    }

    /** The value of a path parameter. */
    default String path(String name) {
        return null;
    }

    /** Authenticates the caller if necessary. The item is {@code null} if the entry point has no authentication. */
    default Uni<SecurityIdentity> identity() {
        return Uni.createFrom().nullItem();
    }

    /** The identity of the authenticated caller; {@code null} before {@link #identity} completes. */
    default SecurityIdentity knownIdentity() {
        return null;
    }

    /** The name of the authenticated caller; {@code null} before {@link #identity} completes. */
    default String principal() {
        return Identities.principal(knownIdentity());
    }

    /** Whether the caller is known to be authenticated, without authenticating it. */
    default boolean isAuthenticated() {
        return principal() != null;
    }

    /**
     * A claim of the authenticated caller's token, as text; {@code null} before {@link #identity} completes.
     *
     * @param name the name of the claim, or a path such as {@code org/id} to a claim within claims
     */
    default String claim(String name) {
        return Identities.claim(knownIdentity(), name);
    }

    /** Whether the authenticated caller has a role; {@code false} before {@link #identity} completes. */
    default boolean hasRole(String role) {
        return knownIdentity() != null && knownIdentity().hasRole(role);
    }

    /** Records that rules of routes charge this request, before routing selects its method. */
    default void recordCharge(String policy, String key) {
    }

    /**
     * Records that a policy does not limit the caller of this request.
     *
     * @return whether this was not yet recorded
     */
    default boolean recordExemption(String policy) {
        return true;
    }

    /** Whether rules of routes have charged this request. */
    default boolean isCharged(String policy, String key) {
        return false;
    }
}
