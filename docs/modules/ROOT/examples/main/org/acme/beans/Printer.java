package org.acme.beans;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;

import io.quarkiverse.ratelimit.RateLimited;

/** Comes from a producer, so it is not intercepted. */
public class Printer {

    @RateLimited("prints")
    public String print() {
        return "printed";
    }

    @ApplicationScoped
    static class Producer {
        @Produces
        Printer printer() {
            return new Printer();
        }
    }
}
