package io.quarkiverse.ratelimit.runtime.cdi;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/** Decides calls of guarded bean methods outside {@code @CacheResult} and {@code @Retry}. */
@Interceptor
@GuardedCall
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 1)
public class RateLimitInterceptor {

    private final GuardedCalls calls;

    RateLimitInterceptor(GuardedCalls calls) {
        this.calls = calls;
    }

    @AroundInvoke
    Object decide(InvocationContext call) throws Exception {
        return calls.decide(call);
    }
}
