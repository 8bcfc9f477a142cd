package io.quarkiverse.ratelimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.util.Nonbinding;
import jakarta.inject.Qualifier;

/**
 * Selects the policy of an injected {@link RateLimiter} or {@link ReactiveRateLimiter}. An unknown name stops the start.
 *
 * <pre>
 * &#64;Inject
 * &#64;RateLimitPolicy("email")
 * RateLimiter limiter;
 * </pre>
 */
@Qualifier
@Documented
@Target({ ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimitPolicy {

    /** The policy's name in {@code quarkus.rate-limit.policies.<policy>}. */
    @Nonbinding
    String value() default "default";
}
