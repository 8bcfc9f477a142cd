package org.acme.beans;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** One method for each kind of return value. */
// tag::mailer[]
@ApplicationScoped
public class Mailer {

    @RateLimited("mails")
    public String send(String text) {
        return "sent " + text;
    }

    @RateLimited("async-mails")
    public Uni<String> sendLater(String text) {
        return Uni.createFrom().item("sent " + text);
    }

    @RateLimited("mail-streams")
    public Multi<String> sendAll(String... texts) {
        return Multi.createFrom().items(texts);
    }

    @RateLimited("staged-mails")
    public CompletionStage<String> sendStaged(String text) {
        return CompletableFuture.completedFuture("sent " + text);
    }
    // end::mailer[]

    public String sendByItself(String text) {
        return send(text);
    }
    // tag::mailer[]
}
// end::mailer[]
