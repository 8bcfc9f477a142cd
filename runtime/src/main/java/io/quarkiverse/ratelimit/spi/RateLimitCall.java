package io.quarkiverse.ratelimit.spi;

import java.util.List;
import java.util.function.Supplier;

import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/**
 * A call that is being decided, as far as its entry point provides it. What is missing is {@code null}: everything that belongs
 * to an HTTP request where none is served, and path parameters outside of resource methods. Later versions may add methods,
 * with a default.
 */
public interface RateLimitCall {

    /**
     * Returns the limited Java method, such as {@code com.acme.QuoteResource#quote()}; {@code null} for routes and for
     * {@link io.quarkiverse.ratelimit.RateLimiter}.
     */
    String method();

    /**
     * Returns the key that code passed to a limiter; {@code null} for limited methods, routes and
     * {@link io.quarkiverse.ratelimit.RateLimiter#forCaller}, and for a key that an operator looks up by its stored form.
     */
    List<String> key();

    /**
     * Returns the caller's address in the form in which it is counted, such as {@code 203.0.113.7} or
     * {@code 2001:db8:1:2::/64}.
     */
    String address();

    /** Returns the first value of a request header, read as UTF-8, or as ISO-8859-1 if it is not valid UTF-8. */
    String header(String name);

    /** Returns the first value of a cookie. */
    String cookie(String name);

    /** Returns the first value of a query parameter. */
    String query(String name);

    /** Returns the value of a path parameter of the resource method. */
    String path(String name);

    /**
     * Returns the caller's identity; an item of {@code null} if the application has no security. The caller is authenticated
     * only when this is subscribed to, which may fail. On routes, which come before authentication, it is an item of
     * {@code null}.
     */
    Uni<SecurityIdentity> identity();

    /** Runs code that blocks, such as a query of a database, on a worker thread. */
    default <T> Uni<T> runBlocking(Supplier<T> blocking) {
        return Uni.createFrom().item(blocking).runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
    }
}
