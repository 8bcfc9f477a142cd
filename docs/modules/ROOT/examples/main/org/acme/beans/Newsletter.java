package org.acme.beans;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitExceededException;

/** Catches a refusal. */
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
        } catch (RateLimitExceededException refused) {
            return "later: " + refused.decision().policy() + ", in "
                    + refused.decision().retryAfterSeconds() + " s";
        }
    }
}
// end::newsletter[]
