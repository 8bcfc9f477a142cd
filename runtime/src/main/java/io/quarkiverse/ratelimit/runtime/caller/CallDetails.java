package io.quarkiverse.ratelimit.runtime.caller;

import java.util.Map;

/**
 * What is known of one call that is to be decided.
 *
 * @param method the guarded method's id, {@code null} where none is called
 * @param arguments those that {@code @RateLimitKey} names, in their order
 * @param keys what the beans answered that say who is calling, by their names
 * @param plans what the beans answered that say which plan applies, by their names
 */
public record CallDetails(Caller caller, String method, Object[] arguments, Map<String, String> keys,
        Map<String, String> plans) {

    private static final Object[] NO_ARGUMENTS = {};

    public CallDetails(Caller caller, String method) {
        this(caller, method, NO_ARGUMENTS);
    }

    public CallDetails(Caller caller, String method, Object[] arguments) {
        this(caller, method, arguments, Map.of(), Map.of());
    }
}
