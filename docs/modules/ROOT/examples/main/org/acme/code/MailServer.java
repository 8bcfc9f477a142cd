package org.acme.code;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;

import io.smallrye.mutiny.Uni;

/** Accepts every mail except an empty one. After a long one, it wants no mail of the user for five minutes. */
@ApplicationScoped
public class MailServer {

    String send(String mail) {
        if (mail.isEmpty()) {
            throw new IllegalArgumentException("nothing to send");
        }
        if (mail.length() > 1000) {
            throw new Busy(Duration.ofMinutes(5));
        }
        return "sent " + mail;
    }

    Uni<String> sendLater(String mail) {
        return Uni.createFrom().item(() -> send(mail));
    }

    static class Busy extends RuntimeException {

        private final transient Duration time;

        Busy(Duration time) {
            this.time = time;
        }

        Duration time() {
            return time;
        }
    }
}
