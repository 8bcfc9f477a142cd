package org.acme.entrypoints;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.scheduler.Scheduled;

/** Computes statistics, on one of several instances. */
@ApplicationScoped
public class Statistics {

    // tag::scheduled[]
    @Scheduled(every = "1m")
    @RateLimited("statistics")
    void compute() {
        // runs once per hour, on one of all instances
    }
    // end::scheduled[]
}
