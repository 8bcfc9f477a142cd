package org.acme.plans;

import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Knows what tenants pay for. */
// tag::contracts[]
@ApplicationScoped
@Identifier("contracts")
public class Contracts implements RateLimitPlanResolver {

    private final Map<String, String> planOfTenant = Map.of("acme", "business", "umbrella", "free");

    @Override
    public Uni<String> resolve(RateLimitCall call) {
        String tenant = call.key() == null ? call.header("X-Tenant") : call.key().values().get(0);
        return Uni.createFrom().item(tenant == null ? null : planOfTenant.get(tenant));
    }
}
// end::contracts[]
