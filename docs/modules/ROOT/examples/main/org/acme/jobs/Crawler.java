package org.acme.jobs;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Uni;

/** Reads pages at an even pace. */
@ApplicationScoped
public class Crawler {

    // tag::paced[]
    @RateLimited("crawler")
    public Uni<String> read(String page) {
        return Uni.createFrom().item("read " + page);
    }
    // end::paced[]
}
