package org.acme.callers;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestForm;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;

/** Uses arguments as key and as cost. */
@Path("/")
public class SignInResource {

    // tag::argument[]
    @POST
    @Path("/accounts/sign-in")
    @RateLimited("sign-in")
    public String signIn(@RateLimitKey @RestForm String user, @RestForm String password) {
        return "Hello " + user;
    }
    // end::argument[]

    // tag::cost[]
    @POST
    @Path("/exports")
    @RateLimited("rows")
    public String export(@RateLimitCost @RestForm int rows) {
        return rows + " rows";
    }
    // end::cost[]
}
