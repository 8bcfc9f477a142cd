package org.acme.quota;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;

/** Mails a customer once a month, when most of the monthly quota is used. */
// tag::mails[]
@ApplicationScoped
public class QuotaMails {

    private static final String CUSTOMER = "principal=";

    private final RateLimiter oncePerMonth;
    private final Mails mails;

    QuotaMails(@RateLimitPolicy("quota-mails") RateLimiter oncePerMonth, Mails mails) {
        this.oncePerMonth = oncePerMonth;
        this.mails = mails;
    }

    void warn(@ObservesAsync RateLimitApproached approached) {
        String key = approached.decision().key(); // <1>
        if (!approached.policy().equals("statements") || !key.startsWith(CUSTOMER)) {
            return;
        }
        RateLimitDecision first = oncePerMonth.forKey(key).tryAcquire(); // <2>
        if (!first.allowed()) {
            return;
        }
        LimitState quota = approached.limits().get(0);
        try {
            mails.send(key.substring(CUSTOMER.length()),
                    "You have used " + (quota.permits() - quota.remaining()) + " of " + quota.permits() + " statements.");
        } catch (RuntimeException notSent) {
            oncePerMonth.refund(first); // <3>
            throw notSent;
        }
    }
}
// end::mails[]
