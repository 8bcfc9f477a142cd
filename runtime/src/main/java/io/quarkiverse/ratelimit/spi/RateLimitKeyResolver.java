package io.quarkiverse.ratelimit.spi;

import io.smallrye.mutiny.Uni;

/**
 * Resolves the caller for the part {@code bean:NAME} of a policy's {@code key}: a bean with {@code @Identifier("NAME")}.
 * <p>
 * It may be called on any thread, also on event loops, and must not block: run blocking code with
 * {@link RateLimitCall#runBlocking}. The {@link Uni} has four fifths of {@code quarkus.rate-limit.timeout}. It is called once
 * for each decided call.
 * <p>
 * The part is missing when it returns {@code null}, a {@code Uni} of {@code null} or an empty text, and the policy's
 * {@code missing-key} applies. The same happens when it throws an exception, fails or takes too long, which logs a warning at
 * most once per minute.
 * <p>
 * The value may be a secret: only its SHA-256 digest appears, in keys and logs alike.
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

    /** Returns the caller. The part is missing for {@code null}, and for a {@code Uni} of {@code null} or of an empty text. */
    Uni<String> resolve(RateLimitCall call);
}
