package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;
import java.util.StringJoiner;

/**
 * A method with {@code @RateLimited}, found at build time.
 *
 * @param id text such as {@code com.acme.QuoteResource#quote(java.lang.String,int)}. The class is the bean or resource,
 *        not the superclass or interface that declares the method.
 * @param uses its {@code @RateLimited} annotations, in declaration order
 * @param resource true if the method serves HTTP requests
 * @param parameters parameters that the decision needs
 * @param byFilter true if a handler or filter of the HTTP request decides the call, instead of the interceptor
 * @param connection role of a call for its WebSocket connection
 * @param ofClass true if the annotations are those of the class. They do not count calls within another call of the bean.
 */
public record LimitedMethod(String id, List<PolicyUse> uses, boolean resource, CallParameters parameters,
        boolean byFilter, OfConnection connection, boolean ofClass) {

    /** Creates a method without annotations. */
    public static LimitedMethod unlimited(String id) {
        return new LimitedMethod(id, List.of(), false, CallParameters.NONE, false, OfConnection.NONE, false);
    }

    public LimitedMethod with(CallParameters others) {
        return new LimitedMethod(id, uses, resource, others, byFilter, connection, ofClass);
    }

    /** Returns whether a call has a client that waits for it: the sender of a request or a message. */
    public boolean servesClient() {
        return resource || connection != OfConnection.NONE;
    }

    /** Returns the signature of a method with this name and these parameter types. */
    public static String signature(String method, Class<?>[] parameters) {
        StringJoiner signature = new StringJoiner(",", "#" + method + "(", ")");
        for (Class<?> parameter : parameters) {
            signature.add(parameter.getName());
        }
        return signature.toString();
    }

    /** The calls of a WebSocket connection. */
    public enum OfConnection {
        NONE,
        OPENING,
        MESSAGE
    }

    /** One {@code @RateLimited} annotation, found at build time: the policy's name and the cost of a call. */
    public record PolicyUse(String policy, long cost) {
    }
}
