package org.acme.migrate;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;

/** What was limited by Resilience4j. */
// tag::resilience4j[]
@ApplicationScoped
public class Partner {
    @RateLimited("partner")
    public String quote(String isin) {
        return "quote of " + isin;
    }
}
// end::resilience4j[]
