package org.acme.quota;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;

/** Stands for a mail server. */
@ApplicationScoped
public class Mails {

    private final List<String> sent = new CopyOnWriteArrayList<>();
    private volatile boolean works;

    void send(String customer, String text) {
        if (!works) {
            throw new IllegalStateException("no mail can be sent");
        }
        sent.add(customer + ": " + text);
    }

    List<String> sent() {
        return sent;
    }

    void start() {
        sent.clear();
        works = true;
    }

    void stop() {
        works = false;
    }
}
