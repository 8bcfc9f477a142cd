package org.acme.code;

import jakarta.enterprise.context.ApplicationScoped;

import io.smallrye.mutiny.Uni;

/** Takes every mail but an empty one. */
@ApplicationScoped
public class MailServer {

    Uni<String> send(String mail) {
        return mail.isEmpty() ? Uni.createFrom().failure(new IllegalArgumentException("nothing to send"))
                : Uni.createFrom().item("sent " + mail);
    }
}
