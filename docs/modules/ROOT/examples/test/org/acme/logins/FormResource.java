package org.acme.logins;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestForm;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;

@Path("/form-sign-in")
public class FormResource {

    // tag::login[]
    @POST
    @RateLimited("login-user")
    @RateLimited("login-address")
    public Response signIn(@RateLimitKey(policies = "login-user") @RestForm String user, @RestForm String password) {
        return Response.status(401).build();
    }
    // end::login[]
}
