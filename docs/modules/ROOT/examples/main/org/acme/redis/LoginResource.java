package org.acme.redis;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** One endpoint for each value of {@code on-redis-failure}. */
@Path("/without-redis")
public class LoginResource {

    @GET
    @Path("/logins")
    @RateLimited("logins")
    public String login() {
        return "logged in";
    }

    @GET
    @Path("/news")
    @RateLimited("news")
    public String news() {
        return "no news";
    }

    @GET
    @Path("/local")
    @RateLimited("local")
    public String local() {
        return "counted here";
    }
}
