package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.reactive.messaging.Incoming;

import io.quarkiverse.ratelimit.RateLimited;

/** A consumer that denies messages, which then go to the dead letters. */
@ApplicationScoped
public class Letters {

    static final List<String> READ = new CopyOnWriteArrayList<>();

    @Incoming("letters")
    @RateLimited("once")
    void read(String letter) {
        READ.add(letter);
    }
}
