package io.quarkiverse.ratelimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;

/**
 * Limits how often a method may be called, by a policy configured under
 * {@code quarkus.rate-limit.policies.<policy>.*}.
 * <ul>
 * <li>On a resource method a request that comes too often is answered {@code 429} before the method
 * runs; on a method of any other CDI bean the call fails with {@link RateLimitExceededException}. Both count against
 * the same state when policy and key are the same.</li>
 * <li>On the interface of a REST client, or its methods, it limits outgoing calls, before anything is sent.</li>
 * <li>On a class it stands for all its business methods. A method's annotations replace those of its class; those of
 * an implementing method replace those of the interface or superclass method. Annotations on interfaces, superclasses
 * and sub-resources are honoured; on a sub-resource locator they are not: annotate the sub-resource.</li>
 * <li>Repeated on one method, all policies must admit; when one refuses, none is charged.</li>
 * <li>A method that returns {@code Uni} is charged per subscription, {@code Multi} likewise, {@code CompletionStage}
 * when it is called. A method with a plain return value waits for the answer, so it must not be called on an event
 * loop.</li>
 * </ul>
 *
 * <pre>
 * &#64;GET
 * &#64;RateLimited("quotes")
 * public String quote() { ... }
 * </pre>
 *
 * Private and static methods, and the same policy twice on one method, stop the build; an unknown policy stops the
 * start.
 */
@Documented
@Inherited
@InterceptorBinding
@Repeatable(RateLimited.List.class)
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimited {

    /** The name of the policy. */
    @Nonbinding
    String value() default "default";

    /** How many permits a call takes, 1 to 10<sup>9</sup>; up to 10 000 where concurrency is limited. */
    @Nonbinding
    long cost() default 1;

    /** Several policies on one method or class. */
    @Documented
    @Inherited
    @InterceptorBinding
    @Target({ ElementType.METHOD, ElementType.TYPE })
    @Retention(RetentionPolicy.RUNTIME)
    @interface List {
        @Nonbinding
        RateLimited[] value();
    }
}
