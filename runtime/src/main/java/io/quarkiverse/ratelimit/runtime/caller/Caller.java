package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;

import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.common.net.CidrAddress;
import io.smallrye.mutiny.Uni;

/** Says who is calling, as far as the entrance can tell; what is absent is {@code null}. */
public interface Caller {

    /** Nobody that could be told from others. */
    Caller UNKNOWN = new Caller() {
    };

    /** The caller's address in the form it is counted by, such as {@code 203.0.113.7} or {@code 2001:db8:1:2::/64}. */
    default String address() {
        return null;
    }

    /** Whether the caller's address is known for sure and lies in any of these blocks. */
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

    /** The identity, authenticated now if it was not yet; an item of {@code null} where nobody can be authenticated. */
    default Uni<SecurityIdentity> identity() {
        return Uni.createFrom().nullItem();
    }

    /** The name of the authenticated caller; absent before {@link #identity} was asked for. */
    default String principal() {
        return null;
    }

    /** A claim of the authenticated caller's token, as text; absent before {@link #identity} was asked for. */
    default String claim(String name) {
        return null;
    }

    /** Whether the authenticated caller has a role; never before {@link #identity} was asked for. */
    default boolean hasRole(String role) {
        return false;
    }

    /** Remembers what the request was charged before its method was chosen. */
    default void charge(String policy, String key, long cost) {
    }

    /** What the request was charged before its method was chosen. */
    default long charged(String policy, String key) {
        return 0;
    }
}
