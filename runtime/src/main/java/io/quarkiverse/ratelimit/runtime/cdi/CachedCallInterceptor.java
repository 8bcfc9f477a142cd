package io.quarkiverse.ratelimit.runtime.cdi;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/**
 * Decides calls of bean methods whose results are cached. Quarkus' caching lies outside its security checks and begins
 * at {@link Interceptor.Priority#PLATFORM_BEFORE}; a refused call must not even clear a cache.
 */
@Interceptor
@GuardedCall(cached = true)
@Priority(Interceptor.Priority.PLATFORM_BEFORE - 1)
public class CachedCallInterceptor {

    private final GuardedCalls calls;

    CachedCallInterceptor(GuardedCalls calls) {
        this.calls = calls;
    }

    @AroundInvoke
    Object decide(InvocationContext call) throws Exception {
        return calls.decide(call);
    }
}
