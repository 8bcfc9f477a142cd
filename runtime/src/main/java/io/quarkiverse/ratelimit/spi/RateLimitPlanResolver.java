package io.quarkiverse.ratelimit.spi;

import io.smallrye.mutiny.Uni;

/**
 * Resolves the plan of a caller, for {@code plan=bean:NAME}: a bean with {@code @Identifier("NAME")}.
 * <p>
 * It may be called on any thread, also on event loops, and must not block: run blocking code with
 * {@link RateLimitCall#runBlocking}. The {@link Uni} has four fifths of {@code quarkus.rate-limit.timeout}. It is called for
 * each decided call.
 * <p>
 * The policy's own limits apply when it returns {@code null}, a {@code Uni} of {@code null}, or a name that is not a plan of
 * the policy; and when it throws an exception, fails or takes too long, which logs a warning at most once per minute.
 *
 * <pre>
 * &#64;ApplicationScoped
 * &#64;Identifier("tenant-plan")
 * class TenantPlan implements RateLimitPlanResolver {
 *     public Uni&lt;RateLimitPlan&gt; resolve(RateLimitCall call) {
 *         return call.runBlocking(() -> RateLimitPlan.named(tenants.planOf(call.header("X-Tenant"))));
 *     }
 * }
 * </pre>
 */
public interface RateLimitPlanResolver {

    /** The caller's plan; the policy's own limits apply for {@code null} or a {@code Uni} of {@code null}. */
    Uni<RateLimitPlan> resolve(RateLimitCall call);
}
