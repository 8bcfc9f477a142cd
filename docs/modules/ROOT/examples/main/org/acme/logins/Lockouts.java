package org.acme.logins;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;

/** Blocks users by hand. */
@ApplicationScoped
public class Lockouts {

    // tag::lockouts[]
    @Inject
    @RateLimitPolicy("login-user")
    RateLimiter logins;

    public void lock(String user) {
        logins.forKey(user).block(Duration.ofDays(1));
    }

    public void end(String user) {
        logins.forKey(user).unblock();
    }
    // end::lockouts[]
}
