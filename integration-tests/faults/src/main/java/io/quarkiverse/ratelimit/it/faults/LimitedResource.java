package io.quarkiverse.ratelimit.it.faults;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Uni;

/** One endpoint for each policy, of the policy's name. */
@Path("/")
public class LimitedResource {

    @GET
    @Path("/local")
    @RateLimited("local")
    public String local() {
        return "allowed";
    }

    @GET
    @Path("/allow")
    @RateLimited("allow")
    public Uni<String> allow() {
        return Uni.createFrom().item("allowed");
    }

    @GET
    @Path("/deny")
    @RateLimited("deny")
    public String deny() {
        return "allowed";
    }

    @GET
    @Path("/few")
    @RateLimited("few")
    public Uni<String> few() {
        return Uni.createFrom().item("allowed");
    }

    @GET
    @Path("/bucket")
    @RateLimited("bucket")
    public Uni<String> bucket() {
        return Uni.createFrom().item("allowed");
    }

    @GET
    @Path("/parallel")
    @RateLimited("parallel")
    public String parallel() {
        return "allowed";
    }

    @GET
    @Path("/paced")
    @RateLimited("paced")
    public String paced() {
        return "allowed";
    }
}
