package org.acme.logins;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;

/** Checks one-time codes. */
@Path("/codes")
public class CodeResource {

    public record Code(String user, String code) {
    }

    // tag::code[]
    @POST
    @RateLimited("codes")
    public Response check(@RateLimitKey("user") Code code) {
        return Response.status(code.code().equals("271828") ? 204 : 401).build();
    }
    // end::code[]
}
