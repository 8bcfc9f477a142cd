package io.quarkiverse.ratelimit.runtime;

import java.util.List;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;
import io.quarkiverse.ratelimit.runtime.policy.InjectedLimiter;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUsers;
import io.quarkus.runtime.annotations.Recorder;

/** Carries what the build found into the application. */
@Recorder
public class RateLimitRecorder {

    public Supplier<PolicyUsers> policyUsers(List<GuardedMethod> methods, List<InjectedLimiter> limiters) {
        PolicyUsers found = new PolicyUsers(methods, limiters);
        return () -> found;
    }
}
