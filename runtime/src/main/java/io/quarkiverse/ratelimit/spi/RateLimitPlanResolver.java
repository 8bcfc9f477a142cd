package io.quarkiverse.ratelimit.spi;

import io.smallrye.mutiny.Uni;

/**
 * Says which of a policy's {@code plans} applies to a call, for {@code plan=bean:NAME}: a bean with
 * {@code @Identifier("NAME")}.
 * <p>
 * It is called on any thread, event loops among them, and must not block; what takes time is done by the {@code Uni}, for
 * at most four fifths of {@code quarkus.rate-limit.timeout}. It is asked for each decided call, so keep what is slow to
 * find out. {@code null}, a {@code Uni} of {@code null} or a name that is no plan of the policy means the policy's own numbers.
 * So does
 * an exception, a failure or a time-out, of which a warning is logged.
 */
public interface RateLimitPlanResolver {

    /** The name of the plan; the policy's own numbers apply when {@code null} or a {@code Uni} of {@code null}. */
    Uni<String> resolve(RateLimitCall call);
}
