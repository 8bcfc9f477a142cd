package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/** Everything in the application that names policies, as found at build time. */
public record PolicyUsers(List<GuardedMethod> methods, List<InjectedLimiter> limiters) {
}
