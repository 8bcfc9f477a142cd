package io.quarkiverse.ratelimit.deployment;

import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;

/**
 * A guarded method.
 *
 * @param declaration where it is declared: in the class itself, a superclass or an interface
 * @param resource whether it serves HTTP requests, and so is decided by the filter and not by the interceptor
 */
record Found(GuardedMethod guarded, MethodInfo declaration, boolean resource) {
}
