package org.acme.apikeys;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

// tag::key[]
/** Verifies the API key, and counts the calls of its customer. */
@ApplicationScoped
@Identifier("customer")
public class CustomerKey implements RateLimitKeyResolver {

    @Inject
    Customers customers;

    @Override
    public Uni<String> resolve(RateLimitCall call) {
        String apiKey = call.header("X-Api-Key");
        return call.runBlocking(() -> customers.nameOf(apiKey));
    }
}
// end::key[]
