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
 * Limits how often a method may be called, by a policy that is configured under
 * {@code quarkus.rate-limit.policies.<policy>.*}.
 * <ul>
 * <li>On a resource method, a request beyond the limit gets {@code 429 Too Many Requests} and the method does not run. On a
 * method of any other CDI bean, the call fails with {@link RateLimitExceededException}. Both count against the same state when
 * policy and key are the same.</li>
 * <li>On the interface of a REST client, or on its methods, it limits outgoing calls before anything is sent.</li>
 * <li>On an AI service of Quarkus LangChain4j, it reserves an estimate of tokens before the call, and settles it with the
 * usage that the model reports. The estimate is the prompt and the longest response: the maximum that is configured for the
 * model, otherwise 1000 tokens. A {@link #cost} above 1, or an argument with {@link RateLimitCost}, replaces it.</li>
 * <li>On a class it applies to all its methods that begin a call, and charges a call once. On a resource class these are the
 * resource methods. Methods that the bean calls on itself, and those that {@code @Fallback} or {@code @BeforeRetry} name, are
 * charged only by annotations of their own.</li>
 * <li>A method's annotations replace those of its class. Those of an
 * implementing method replace those of the interface or superclass method. Annotations on interfaces, superclasses and
 * sub-resources are honored. An annotation on a sub-resource locator is not: annotate the sub-resource.</li>
 * <li>With several annotations on one method, all policies must allow the call. When one denies it, none is charged.</li>
 * <li>If the policy has a {@code penalty}, a caller that is denied too often is blocked: all its calls are denied for some
 * time.</li>
 * <li>A method that returns {@code Uni} or {@code Multi} is charged per subscription, one that returns
 * {@code CompletionStage} when it is called. A method with a plain return value waits for the decision, so it must not be
 * called on an event loop. A limited reactive route with a plain return value runs on a worker thread.</li>
 * </ul>
 *
 * <pre>
 * &#64;GET
 * &#64;RateLimited("quotes")
 * public String quote() { ... }
 * </pre>
 *
 * An annotation on a private or static method, on a {@code @RouteFilter} or a failure handler, and the same policy twice on one
 * method, stop the build. An unknown policy stops the start.
 */
@Documented
@Inherited
@InterceptorBinding
@Repeatable(RateLimited.List.class)
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimited {

    /** Names the policy. */
    @Nonbinding
    String value() default "default";

    /** Sets how many permits a call acquires, 1 to 10<sup>9</sup>; up to 10 000 if the policy limits concurrency by cost. */
    @Nonbinding
    long cost() default 1;

    /** Puts several policies on one method or class. */
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
