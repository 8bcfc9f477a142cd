package io.quarkiverse.ratelimit.test.devservices;

import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.runtime.StartupEvent;

/** Is changed while it runs, and returns the address of its Redis. */
@Path("/greeting")
public class LimitedGreeting {

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @GET
    @RateLimited("greetings")
    public String greet() {
        return "first " + hosts;
    }

    void start(@Observes StartupEvent started, @ConfigProperty(name = "fails-at-start") boolean fails) {
        if (fails) {
            throw new IllegalStateException("Fails at its start, as configured");
        }
    }
}
