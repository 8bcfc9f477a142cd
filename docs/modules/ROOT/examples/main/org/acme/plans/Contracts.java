package org.acme.plans;

import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Resolves the plan that a tenant pays for. */
// tag::contracts[]
@ApplicationScoped
@Identifier("contracts")
public class Contracts implements RateLimitPlanResolver {

    private final Map<String, String> planOfTenant = Map.of("acme", "business", "umbrella", "free");

    @Override
    public Uni<RateLimitPlan> resolve(RateLimitCall call) {
        String tenant = call.key() == null ? call.header("X-Tenant") : call.key().get(0);
        return tenant == null ? null : call.runBlocking(() -> planOf(tenant));
    }

    /** Stands for a query of a database, which blocks. */
    private RateLimitPlan planOf(String tenant) {
        String plan = planOfTenant.get(tenant);
        return plan == null ? null : RateLimitPlan.named(plan);
    }
}
// end::contracts[]
