package org.acme.outgoing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.ratelimit.RateLimitExceededException;

/** Passes rates on, and the last known ones while the bank may not be asked. */
@Path("/exchange")
public class Exchange {

    private final Rates rates;

    Exchange(@RestClient Rates rates) {
        this.rates = rates;
    }

    // tag::fallback[]
    @GET
    @Path("{currency}")
    public String rate(@PathParam("currency") String currency) {
        try {
            return rates.of(currency);
        } catch (RateLimitExceededException refused) {
            return "unknown for " + refused.decision().retryAfterSeconds() + " s";
        }
    }
    // end::fallback[]
}
