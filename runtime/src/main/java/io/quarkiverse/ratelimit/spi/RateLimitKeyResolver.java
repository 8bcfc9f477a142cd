package io.quarkiverse.ratelimit.spi;

import io.smallrye.mutiny.Uni;

/**
 * Says who is calling, for the part {@code bean:NAME} of a policy's {@code key}: a bean with {@code @Identifier("NAME")}.
 * <p>
 * It is called on any thread, event loops among them, and must not block; what takes time is done by the {@code Uni}, for
 * at most four fifths of {@code quarkus.rate-limit.timeout}. It is asked once for each decided call. {@code null}, a
 * {@code Uni} of {@code null} or an empty text means that the part is absent, and the policy's {@code missing-key} says what
 * happens. So does an exception, a failure or a time-out, of which a warning is logged.
 * <p>
 * The value may be a secret: it appears only as a SHA-256 digest, in keys and logs alike.
 *
 * <pre>
 * &#64;ApplicationScoped
 * &#64;Identifier("tenant")
 * class TenantKey implements RateLimitKeyResolver {
 *     public Uni&lt;String&gt; resolve(RateLimitCall call) {
 *         return Uni.createFrom().item(call.header("X-Tenant"));
 *     }
 * }
 * </pre>
 */
public interface RateLimitKeyResolver {

    /** Who is calling; absent when {@code null}, a {@code Uni} of {@code null} or of an empty text. */
    Uni<String> resolve(RateLimitCall call);
}
