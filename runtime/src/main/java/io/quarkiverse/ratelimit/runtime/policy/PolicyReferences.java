package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/**
 * Lists everything in the application that names a policy. Found at build time.
 *
 * @param properties those of other extensions, without the policy with which their names end
 */
public record PolicyReferences(List<LimitedMethod> methods, List<InjectedLimiter> limiters, List<String> properties) {

    /**
     * An injection point with {@code @RateLimitPolicy}, found at build time.
     *
     * @param place field or parameter, such as {@code com.acme.Mailer#limiter}
     */
    public record InjectedLimiter(String policy, String place) {
    }

    /** Returns the highest number of arguments that a limited method adds to this policy's key. */
    public int keyArguments(String policy) {
        return methods.stream().filter(method -> method.uses().stream().anyMatch(use -> use.policy().equals(policy)))
                .mapToInt(method -> method.parameters().keys(policy).size()).max().orElse(0);
    }
}
