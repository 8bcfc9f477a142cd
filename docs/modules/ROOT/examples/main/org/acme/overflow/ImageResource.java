package org.acme.overflow;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Has limits of which one is enough. */
// tag::images[]
@Path("/images")
public class ImageResource {
    @GET
    @RateLimited("tenant-minimum")
    public String image() {
        return "an image";
    }

    @GET
    @Path("/large")
    @RateLimited("included")
    public String large() {
        return "a large image";
    }

    @GET
    @Path("/of/{org}/{team}/{user}")
    @RateLimited("user-images")
    public String ofUser() {
        return "an image of the organization";
    }

    @GET
    @Path("/preview")
    @RateLimited("fast")
    public String preview() {
        return "a preview";
    }
}
// end::images[]
