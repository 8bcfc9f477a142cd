package org.acme.beans;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitExceededException;

/** Catches a denial. */
// tag::newsletter[]
@ApplicationScoped
public class Newsletter {

    private final Mailer mailer;

    Newsletter(Mailer mailer) {
        this.mailer = mailer;
    }

    public String publish() {
        try {
            return mailer.send("news");
        } catch (RateLimitExceededException denied) {
            return "later: " + denied.decision().policy() + ", in "
                    + denied.decision().retryAfterSeconds() + " s";
        }
    }
}
// end::newsletter[]
