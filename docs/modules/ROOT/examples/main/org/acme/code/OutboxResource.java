package org.acme.code;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;

/** Shows callers how many mails they may still send. */
@Path("/outbox/{user}")
public class OutboxResource {

    @Inject
    @RateLimitPolicy("outbox")
    RateLimiter limiter;

    @Inject
    Outbox outbox;

    @POST
    public String send(@PathParam("user") String user, String mail) {
        return outbox.sendOrThrow(user, mail);
    }

    // tag::headers[]
    @GET
    public Response left(@PathParam("user") String user) {
        RateLimitDecision decision = limiter.forKey(user).peek();
        return Response.ok()
                .header("X-RateLimit-Limit", decision.permits())
                .header("X-RateLimit-Remaining", decision.remaining())
                .build();
    }
    // end::headers[]
}
