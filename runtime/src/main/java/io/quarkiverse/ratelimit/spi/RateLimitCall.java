package io.quarkiverse.ratelimit.spi;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.mutiny.Uni;

/**
 * A call that is to be decided, as far as the entrance knows it. What is absent is {@code null}: all that belongs to an
 * HTTP request where none is served, path parameters outside of resource methods.
 */
public interface RateLimitCall {

    /**
     * The guarded Java method, such as {@code com.acme.QuoteResource#quote()}; {@code null} for routes and for limiters that
     * code asks.
     */
    String method();

    /** The key that code gave; {@code null} for guarded methods and routes. */
    CallerKey key();

    /**
     * The caller's address in the form it is counted by, such as {@code 203.0.113.7} or {@code 2001:db8:1:2::/64}.
     */
    String address();

    /** The first value of a request header. */
    String header(String name);

    /** The first value of a cookie. */
    String cookie(String name);

    /** The first value of a query parameter. */
    String query(String name);

    /** The value of a path parameter of the resource method. */
    String path(String name);

    /**
     * The caller's identity, an item of {@code null} where the application has no security. The caller is authenticated only if
     * this is
     * subscribed to, which may fail. On routes, which come before authentication, nobody is authenticated: there it is
     * an item of {@code null}.
     */
    Uni<SecurityIdentity> identity();
}
