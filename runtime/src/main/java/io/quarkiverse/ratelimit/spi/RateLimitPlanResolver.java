package io.quarkiverse.ratelimit.spi;

import io.smallrye.mutiny.Uni;

/**
 * Resolves the plan of a caller, for {@code plan=bean:NAME}: a bean with {@code @Identifier("NAME")}.
 * <p>
 * It may be called on any thread, also on event loops, and must not block: run blocking code with
 * {@link RateLimitCall#runBlocking}. The {@link Uni} has four fifths of {@code quarkus.rate-limit.timeout}. It is called for
 * each decided call, unless the policy has a {@code plan-cache}.
 * <p>
 * The policy's own limits apply when it returns {@code null}, a {@code Uni} of {@code null}, or a name that is not a plan of
 * the policy. They also apply when it throws an exception, fails, takes too long, or returns limits that do not fit the
 * policy, which logs a warning at most once per minute.
 * <p>
 * With {@code plan-cache}, each instance keeps a plan for that time, by policy and key:
 * <ul>
 * <li>The plan must depend on the caller's key only. Calls from code, which have a {@link RateLimitCall#key()}, have plans of
 * their own.</li>
 * <li>There is one call at a time for each key. Callers that arrive meanwhile wait for its result.</li>
 * <li>While the resolver fails, the last known plan applies, and it is called at most once per second for each key. A key
 * without a last known plan is treated as above.</li>
 * <li>Plans of 50 000 keys are kept for each policy. The plan of the key that was used least recently is evicted first, also
 * as last known plan.</li>
 * </ul>
 *
 * <pre>
 * &#64;ApplicationScoped
 * &#64;Identifier("tenant-plan")
 * class TenantPlan implements RateLimitPlanResolver {
 *     public Uni&lt;RateLimitPlan&gt; resolve(RateLimitCall call) {
 *         return call.runBlocking(() -> RateLimitPlan.of(tenants.limitOf(call.header("X-Tenant"))));
 *     }
 * }
 * </pre>
 */
public interface RateLimitPlanResolver {

    /** Returns the caller's plan. For {@code null}, or a {@code Uni} of {@code null}, the policy's own limits apply. */
    Uni<RateLimitPlan> resolve(RateLimitCall call);
}
