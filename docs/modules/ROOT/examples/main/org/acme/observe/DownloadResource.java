package org.acme.observe;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

@Path("/downloads")
public class DownloadResource {

    @GET
    @RateLimited("downloads")
    public String download() {
        return "a file";
    }
}
