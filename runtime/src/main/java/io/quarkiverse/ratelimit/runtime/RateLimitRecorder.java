package io.quarkiverse.ratelimit.runtime;

import java.util.List;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;
import io.quarkiverse.ratelimit.runtime.policy.GuardedMethods;
import io.quarkus.runtime.annotations.Recorder;

/** Carries what the build found into the application. */
@Recorder
public class RateLimitRecorder {

    public Supplier<GuardedMethods> guardedMethods(List<GuardedMethod> methods) {
        GuardedMethods found = new GuardedMethods(methods);
        return () -> found;
    }
}
