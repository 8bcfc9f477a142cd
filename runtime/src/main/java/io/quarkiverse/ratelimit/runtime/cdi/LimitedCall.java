package io.quarkiverse.ratelimit.runtime.cdi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.interceptor.InterceptorBinding;

/** Binds an interceptor to limited bean methods that no filter decides; the build finds these methods. */
@InterceptorBinding
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface LimitedCall {

    /**
     * Whether the method's result is cached. Then the decision comes before the cache, otherwise after the security
     * checks.
     */
    boolean cached() default false;
}
