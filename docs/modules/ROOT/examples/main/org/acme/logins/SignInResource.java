package org.acme.logins;

import jakarta.inject.Inject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestForm;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;

// tag::login[]
@Path("/sign-in")
public class SignInResource {

    @Inject
    Passwords passwords;

    @POST
    @RateLimited("login-user")
    public Response signIn(@RestForm @RateLimitKey String user, @RestForm String password) {
        return Response.status(passwords.match(user, password) ? 204 : 401).build();
    }
}
// end::login[]
