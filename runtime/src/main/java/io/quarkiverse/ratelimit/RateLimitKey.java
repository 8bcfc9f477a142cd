package io.quarkiverse.ratelimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Appends an argument of a {@link RateLimited} method to the key of all its policies, by its {@code toString}.
 * <ul>
 * <li>Several are appended in their order. A policy that is used only by such methods needs no {@code key} of its own.</li>
 * <li>{@code null} and what is written as an empty text count as absent: the policy's {@code missing-key} says what
 * happens.</li>
 * <li>A resource method with such a parameter is decided once its parameters are read, after the application's request
 * filters, with the same answers and headers.</li>
 * <li>It counts where {@link RateLimited} is looked for: on the method that runs, or on the one it implements.</li>
 * </ul>
 *
 * <pre>
 * &#64;POST
 * &#64;RateLimited("login")
 * public Response login(&#64;RateLimitKey &#64;RestForm String user, &#64;RestForm String password) { ... }
 * </pre>
 *
 * It stops the build on a parameter of a method that is not limited, on an array, and on an object whose class has no
 * {@code toString}: every call would be another caller.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimitKey {
}
