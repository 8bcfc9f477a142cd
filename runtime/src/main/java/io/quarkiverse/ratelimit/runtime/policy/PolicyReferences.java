package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/** Lists everything in the application that names a policy. Found at build time. */
public record PolicyReferences(List<LimitedMethod> methods, List<InjectedLimiter> limiters) {

    /**
     * An injection point with {@code @RateLimitPolicy}, found at build time.
     *
     * @param place the field or parameter, such as {@code com.acme.Mailer#limiter}
     */
    public record InjectedLimiter(String policy, String place) {
    }

    /** The highest number of arguments that a limited method adds to this policy's key. */
    public int keyArguments(String policy) {
        return methods.stream().filter(method -> method.uses().stream().anyMatch(use -> use.policy().equals(policy)))
                .mapToInt(method -> method.parameters().keys().size()).max().orElse(0);
    }
}
