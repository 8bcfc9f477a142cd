package io.quarkiverse.ratelimit.runtime.cdi;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import io.quarkus.security.spi.runtime.SecurityHandlerConstants;

/** Decides calls of bean methods after Quarkus' security checks, so that a forbidden call costs nothing. */
@Interceptor
@LimitedCall
@Priority(SecurityHandlerConstants.SECURITY_INTERCEPTOR_PRIORITY + 1)
public class RateLimitInterceptor {

    private final CallLimiter calls;

    RateLimitInterceptor(CallLimiter calls) {
        this.calls = calls;
    }

    @AroundInvoke
    Object decide(InvocationContext call) throws Exception {
        return calls.decide(call);
    }

    /**
     * Decides calls of bean methods whose results are cached. It runs before Quarkus' caching, as a denied call must not
     * even clear a cache. The caching begins at {@link Interceptor.Priority#PLATFORM_BEFORE}, before the security checks.
     */
    @Interceptor
    @LimitedCall(cached = true)
    @Priority(Interceptor.Priority.PLATFORM_BEFORE - 1)
    public static class OfCachedCalls extends RateLimitInterceptor {

        OfCachedCalls(CallLimiter calls) {
            super(calls);
        }
    }
}
