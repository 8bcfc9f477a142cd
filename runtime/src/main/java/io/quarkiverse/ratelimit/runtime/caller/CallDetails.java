package io.quarkiverse.ratelimit.runtime.caller;

import java.util.Map;

/**
 * Holds the input of a decision about one call.
 *
 * @param method the limited method's id, or {@code null} if there is no limited method
 * @param arguments the arguments of parameters with {@code @RateLimitKey}, in declaration order
 * @param beanValues the values that key resolver beans returned, by bean name
 */
public record CallDetails(Caller caller, String method, Object[] arguments, Map<String, String> beanValues) {
}
