package org.acme.code;

import jakarta.enterprise.context.ApplicationScoped;

import io.smallrye.mutiny.Uni;

/** Accepts every mail except an empty one. */
@ApplicationScoped
public class MailServer {

    String send(String mail) {
        if (mail.isEmpty()) {
            throw new IllegalArgumentException("nothing to send");
        }
        return "sent " + mail;
    }

    Uni<String> sendLater(String mail) {
        return Uni.createFrom().item(() -> send(mail));
    }
}
