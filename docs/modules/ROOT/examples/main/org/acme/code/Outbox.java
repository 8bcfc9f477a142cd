package org.acme.code;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.smallrye.mutiny.Uni;

/** Sends as many mails of a user as the policy allows. */
@ApplicationScoped
public class Outbox {

    // tag::inject[]
    @Inject
    @RateLimitPolicy("outbox")
    RateLimiter limiter;
    // end::inject[]

    @Inject
    MailServer server;

    // tag::acquire[]
    public String send(String user, String mail) {
        RateLimitDecision decision = limiter.forKey(user).tryAcquire();
        return decision.allowed() ? server.send(mail) : "try again in " + decision.retryAfterSeconds() + " s";
    }
    // end::acquire[]

    // tag::wait[]
    public String sendOrThrow(String user, String mail) {
        limiter.forKey(user).acquireOrThrow();
        return server.send(mail);
    }
    // end::wait[]

    // tag::refund[]
    public String sendOrRefund(String user, String mail) {
        RateLimitDecision decision = limiter.forKey(user).acquireOrThrow();
        try {
            return server.send(mail);
        } catch (RuntimeException failure) {
            limiter.refund(decision);
            throw failure;
        }
    }
    // end::refund[]

    // tag::pause[]
    public String sendOrPause(String user, String mail) {
        limiter.forKey(user).acquireOrThrow();
        try {
            return server.send(mail);
        } catch (MailServer.Busy busy) {
            limiter.forKey(user).pause(busy.time());
            throw busy;
        }
    }
    // end::pause[]

    // tag::batch[]
    public long sendAll(String user, int mails) {
        return limiter.forKey(user).tryAcquireUpTo(mails).granted();
    }
    // end::batch[]

    // tag::reactive[]
    @Inject
    @RateLimitPolicy("outbox")
    ReactiveRateLimiter reactiveLimiter;

    public Uni<String> sendLater(String user, String mail) {
        return reactiveLimiter.forKey(user).acquireOrThrow().chain(() -> server.sendLater(mail));
    }
    // end::reactive[]
}
