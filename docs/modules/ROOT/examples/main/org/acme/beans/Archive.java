package org.acme.beans;

import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;

/** Is secured and limited. */
@ApplicationScoped
public class Archive {

    @RolesAllowed("archivist")
    @RateLimited("mails")
    public String open() {
        return "opened";
    }
}
