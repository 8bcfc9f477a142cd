package io.quarkiverse.ratelimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.util.AnnotationLiteral;
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
 *
 * {@link Literal} selects a policy whose name is known only at run time. There an unknown name is an
 * {@link IllegalArgumentException}.
 */
@Qualifier
@Documented
@Target({ ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimitPolicy {

    /** Names the policy, as in {@code quarkus.rate-limit.policies.<policy>}. */
    @Nonbinding
    String value() default "default";

    /** Creates the qualifier in code, as in {@code limiters.select(RateLimitPolicy.Literal.of("email")).get()}. */
    final class Literal extends AnnotationLiteral<RateLimitPolicy> implements RateLimitPolicy {

        private static final long serialVersionUID = 1L;

        private final String value;

        private Literal(String value) {
            this.value = value;
        }

        /** @param value the policy's name */
        public static Literal of(String value) {
            return new Literal(value);
        }

        @Override
        public String value() {
            return value;
        }
    }
}
