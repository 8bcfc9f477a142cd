package org.acme.apikeys;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

// tag::plan[]
@ApplicationScoped
@Identifier("customer-plan")
public class CustomerPlan implements RateLimitPlanResolver {

    @Inject
    Customers customers;

    @Override
    public Uni<RateLimitPlan> resolve(RateLimitCall call) {
        String apiKey = call.header("X-Api-Key");
        return call.runBlocking(() -> {
            String plan = customers.planOf(call.key() == null ? customers.nameOf(apiKey) : call.key().get(0)); // <1>
            return plan == null ? null : RateLimitPlan.named(plan); // <2>
        });
    }
}
// end::plan[]
