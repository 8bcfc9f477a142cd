package org.acme.outgoing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.ratelimit.RateLimitExceededException;

/** Returns exchange rates of the bank, as often as its limit allows. */
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
        } catch (RateLimitExceededException denied) {
            return "unknown for " + denied.decision().retryAfterSeconds() + " s";
        }
    }
    // end::fallback[]
}
