package io.quarkiverse.ratelimit.it;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;

/** A limited bean. */
@ApplicationScoped
public class Mailer {

    @RateLimited("three-for-each")
    public String send() {
        return "sent";
    }
}
