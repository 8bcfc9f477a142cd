package org.acme.beans;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.smallrye.common.annotation.NonBlocking;

/** Calls the limited bean from a worker thread and from an event loop. */
@Path("/mails")
public class MailResource {

    private final Mailer mailer;

    MailResource(Mailer mailer) {
        this.mailer = mailer;
    }

    @GET
    public String send() {
        return mailer.send("mail");
    }

    @GET
    @Path("/event-loop")
    @NonBlocking
    public String sendOnEventLoop() {
        return mailer.send("mail");
    }
}
