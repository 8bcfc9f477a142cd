package io.quarkiverse.ratelimit.it;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;

/** A bean that is limited wherever it is called from. */
@ApplicationScoped
public class Mailer {

    @RateLimited("three-for-each")
    public String send() {
        return "sent";
    }
}
