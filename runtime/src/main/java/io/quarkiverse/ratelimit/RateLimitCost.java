package io.quarkiverse.ratelimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes an argument of a {@link RateLimited} method its cost, for all its policies, in place of {@link RateLimited#cost}.
 * <ul>
 * <li>The parameter is an {@code int} or a {@code long}, boxed or not. A method has at most one. Anything else stops the
 * build.</li>
 * <li>The cost is 1 to 10<sup>9</sup>, up to 10 000 for a policy that limits concurrency by cost. A call with cost 0 takes
 * no permit of the limits that count the cost, and these allow it whatever is used. Limits with {@code counts=calls} count
 * it like any other call, and a caller that is blocked or paused is denied.</li>
 * <li>With a negative or larger cost, or {@code null}, a request gets status 400, and any other call fails with an
 * {@link IllegalArgumentException}.</li>
 * <li>A caller who chooses the cost can choose 0, or the whole capacity at once. Bound what such a call does, and add a limit
 * with {@code counts=calls}.</li>
 * <li>A resource method with such a parameter is decided after its parameters are read, which is after the application's
 * request filters. Responses and headers are the same.</li>
 * </ul>
 *
 * <pre>
 * &#64;RateLimited("mail")
 * Uni&lt;Void&gt; send(List&lt;String&gt; recipients, &#64;RateLimitCost int count) { ... }
 * </pre>
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimitCost {
}
