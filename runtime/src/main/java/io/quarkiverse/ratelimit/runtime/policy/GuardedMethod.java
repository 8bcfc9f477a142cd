package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/**
 * A method guarded by {@code @RateLimited}, as found at build time.
 *
 * @param id the method as {@code com.acme.QuoteResource#quote(java.lang.String,int)}, the class being the bean's or
 *        resource's, not that of a superclass or interface that declares the method
 * @param uses its annotations, in their order
 * @param resource whether it serves HTTP requests
 * @param parameters those that the decision needs
 * @param byFilter whether it is decided by what serves the request, and not by the interceptor
 */
public record GuardedMethod(String id, List<PolicyUse> uses, boolean resource, CallParameters parameters,
        boolean byFilter) {

    /** The end of the id, as {@code #quote(java.lang.String,int)}. */
    public String signature() {
        return id.substring(id.indexOf('#'));
    }

    /** The signature that a method has. */
    public static String signature(String method, Class<?>[] parameters) {
        StringBuilder signature = new StringBuilder("#").append(method).append('(');
        for (int i = 0; i < parameters.length; i++) {
            signature.append(i == 0 ? "" : ",").append(parameters[i].getName());
        }
        return signature.append(')').toString();
    }
}
