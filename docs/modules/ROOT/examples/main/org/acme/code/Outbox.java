package org.acme.code;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.smallrye.mutiny.Uni;

/** Sends as many mails of a user as the policy admits. */
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
    public Uni<String> send(String user, String mail) {
        return limiter.acquire(user).chain(decision -> decision.allowed()
                ? server.send(mail)
                : Uni.createFrom().item("try again in " + decision.retryAfterSeconds() + " s"));
    }
    // end::acquire[]

    // tag::wait[]
    public String sendAndAwait(String user, String mail) {
        RateLimitDecision decision = limiter.acquireAndAwait(user);
        if (!decision.allowed()) {
            throw new RateLimitExceededException(decision);
        }
        return server.send(mail).await().indefinitely();
    }
    // end::wait[]

    // tag::refund[]
    public Uni<String> sendOrRefund(String user, String mail) {
        return limiter.acquire(user).chain(decision -> decision.allowed()
                ? server.send(mail).onFailure().call(() -> limiter.refund(decision))
                : Uni.createFrom().failure(new RateLimitExceededException(decision)));
    }
    // end::refund[]

    // tag::batch[]
    public Uni<Long> sendAll(String user, int mails) {
        return limiter.acquireUpTo(user, mails).map(RateLimitDecision::granted);
    }
    // end::batch[]
}
