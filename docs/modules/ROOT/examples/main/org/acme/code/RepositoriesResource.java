package org.acme.code;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Every search counts twice: as a search, and as a call of the API. */
@Path("/repositories")
public class RepositoriesResource {

    @GET
    @Path("/search")
    @RateLimited("core")
    @RateLimited("code_search")
    public String search() {
        return "found";
    }
}
