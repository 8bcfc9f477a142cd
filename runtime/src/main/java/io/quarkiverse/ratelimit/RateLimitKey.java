package io.quarkiverse.ratelimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Appends an argument of a {@link RateLimited} method to the key of its policies.
 * <ul>
 * <li>The argument is a single value: text ({@code String}, {@code CharSequence}, {@code char}), a number, a
 * {@code boolean}, an enum, a {@code UUID}, a value of {@code java.time}, or an {@code Optional} of one of these. Two
 * arguments are the same key if their {@code toString} is the same; {@code Alice} and {@code alice} are two keys. An
 * {@code Optional} counts as its value.</li>
 * <li>Several arguments are appended in the order of the parameters. They follow the parts of the policy's {@code key}. If
 * all methods of a policy have such a parameter, the policy needs no {@code key}.</li>
 * <li>If the policies of the method have different keys, name those whose key the argument belongs to, see
 * {@link #policies}. Otherwise the start stops, because a limit per address would become a limit per address and
 * user.</li>
 * <li>{@code null}, an empty {@code Optional} and an empty text count as missing: the policy's {@code missing-key}
 * applies.</li>
 * <li>A resource method with such a parameter is decided after its parameters are read, which is after the application's
 * request filters. Responses and headers are the same.</li>
 * <li>Like {@link RateLimited}, it may be on the method that runs, or on the interface or superclass method that this one
 * implements.</li>
 * </ul>
 *
 * <pre>
 * &#64;POST
 * &#64;RateLimited("login")
 * public Response login(&#64;RateLimitKey &#64;RestForm String user, &#64;RestForm String password) { ... }
 * </pre>
 *
 * Of an object, such as the JSON body of a request, name the property that is the key:
 *
 * <pre>
 * &#64;POST
 * &#64;RateLimited("login")
 * public Response login(&#64;RateLimitKey("user.name") Login login) { ... }
 * </pre>
 *
 * The build stops when the method is not limited, when there is no such property, and when the key has any other type, such
 * as an array, a collection or a whole body. The text of a body may contain a password, and then each guess would be another
 * caller.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimitKey {

    /**
     * Names the property of the argument that is the key, such as {@code "user"}, or {@code "user.name"} for a property of a
     * property: a component of a record, a getter without its {@code get} or {@code is}, or a public field. The name is that
     * of the Java property, also if JSON has another one. If any value on the way is {@code null} or an empty
     * {@code Optional}, the key is missing. By default, the argument itself is the key.
     */
    String value() default "";

    /**
     * Names the policies of the method whose key the argument belongs to. Any other name stops the build. By default, these
     * are all policies of the method. Then the {@code key} of all of them must be the same, also of disabled ones: the same
     * parts in the same order, {@code global}, or none.
     *
     * <pre>
     * &#64;POST
     * &#64;RateLimited("login-user")
     * &#64;RateLimited("login-address")
     * public Response login(&#64;RateLimitKey(policies = "login-user") &#64;RestForm String user, ...) { ... }
     * </pre>
     */
    String[] policies() default {};
}
