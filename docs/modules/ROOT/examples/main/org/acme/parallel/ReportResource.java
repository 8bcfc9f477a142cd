package org.acme.parallel;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Is expensive while it runs. */
@Path("/reports")
public class ReportResource {

    private final Printery printery;

    ReportResource(Printery printery) {
        this.printery = printery;
    }

    // tag::reports[]
    @GET
    @RateLimited("reports")
    public String report() {
        return printery.print();
    }
    // end::reports[]
}
