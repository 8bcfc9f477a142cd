package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/** Every guarded method of the application, as found at build time. */
public record GuardedMethods(List<GuardedMethod> methods) {
}
