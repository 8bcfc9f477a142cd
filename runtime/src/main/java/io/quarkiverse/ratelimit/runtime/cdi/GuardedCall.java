package io.quarkiverse.ratelimit.runtime.cdi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.interceptor.InterceptorBinding;

/** Binds an interceptor to the bean methods that the build found guarded and no filter decides. */
@InterceptorBinding
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface GuardedCall {

    /** Whether the method's result is cached: then the decision comes before the cache, else after the security checks. */
    boolean cached() default false;
}
