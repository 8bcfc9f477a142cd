package io.quarkiverse.ratelimit.runtime.entry.cdi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import io.quarkus.security.spi.runtime.SecurityHandlerConstants;

/** Decides calls of bean methods after Quarkus' security checks, so that a forbidden call costs nothing. */
@Interceptor
@RateLimitInterceptor.LimitedCall
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

    /** Binds an interceptor to limited bean methods that no filter decides; the build finds these methods. */
    @InterceptorBinding
    @Target({ ElementType.METHOD, ElementType.TYPE })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface LimitedCall {

        /** Whether the result is cached. Then the decision comes before the cache, otherwise after the security checks. */
        boolean cached() default false;
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
