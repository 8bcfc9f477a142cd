package org.acme.logins;

import jakarta.inject.Inject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;

// tag::login[]
@Path("/sign-in")
public class SignInResource {

    public record Login(String user, String password) {
    }

    @Inject
    Passwords passwords;

    @POST
    @RateLimited("login-user")
    public Response signIn(@RateLimitKey("user") Login login) {
        return Response.status(passwords.match(login.user(), login.password()) ? 204 : 401).build();
    }
}
// end::login[]
