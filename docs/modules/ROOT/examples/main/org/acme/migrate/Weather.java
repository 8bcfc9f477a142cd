package org.acme.migrate;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;

/** What was limited by SmallRye Fault Tolerance. */
// tag::smallrye[]
@ApplicationScoped
public class Weather {
    @RateLimited("weather")
    public String today() {
        return "sunny";
    }
}
// end::smallrye[]
