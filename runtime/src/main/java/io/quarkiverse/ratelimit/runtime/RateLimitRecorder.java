package io.quarkiverse.ratelimit.runtime;

import java.util.List;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences.InjectedLimiter;
import io.quarkus.runtime.annotations.Recorder;

/** Passes the limited methods and injected limiters that the build found to the application. */
@Recorder
public class RateLimitRecorder {

    public Supplier<PolicyReferences> policyReferences(List<LimitedMethod> methods, List<InjectedLimiter> limiters) {
        PolicyReferences found = new PolicyReferences(methods, limiters);
        return () -> found;
    }
}
