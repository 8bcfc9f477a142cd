package io.quarkiverse.ratelimit.runtime.cdi;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/**
 * Decides calls of bean methods whose results are cached. It runs before Quarkus' caching, as a denied call must not
 * even clear a cache. The caching begins at {@link Interceptor.Priority#PLATFORM_BEFORE}, before the security checks.
 */
@Interceptor
@LimitedCall(cached = true)
@Priority(Interceptor.Priority.PLATFORM_BEFORE - 1)
public class CachedCallInterceptor {

    private final CallLimiter calls;

    CachedCallInterceptor(CallLimiter calls) {
        this.calls = calls;
    }

    @AroundInvoke
    Object decide(InvocationContext call) throws Exception {
        return calls.decide(call);
    }
}
