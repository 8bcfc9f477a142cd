package io.quarkiverse.ratelimit.runtime.start;

import java.util.List;
import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences.InjectedLimiter;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.annotations.Recorder;

/** Passes the limited methods and injected limiters that the build found to the application. */
@Recorder
public class RateLimitRecorder {

    /** Returns the generated object that reads a property of an argument. */
    public Function<Object, Object> reader(RuntimeValue<Function<Object, Object>> generated) {
        return generated.getValue();
    }

    public RuntimeValue<PolicyReferences> policyReferences(List<LimitedMethod> methods, List<InjectedLimiter> limiters,
            List<String> properties) {
        return new RuntimeValue<>(new PolicyReferences(methods, limiters, properties));
    }
}
