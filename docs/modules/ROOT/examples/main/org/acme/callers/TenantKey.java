package org.acme.callers;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Counts all users of one company together. */
// tag::tenant[]
@ApplicationScoped
@Identifier("tenant")
public class TenantKey implements RateLimitKeyResolver {
    @Override
    public Uni<String> resolve(RateLimitCall call) {
        return call.identity().onItem().ifNotNull().transform(identity -> company(identity.getPrincipal().getName()));
    }

    private static String company(String user) {
        return user.isEmpty() ? null : user.substring(user.indexOf('@') + 1);
    }
}
// end::tenant[]
