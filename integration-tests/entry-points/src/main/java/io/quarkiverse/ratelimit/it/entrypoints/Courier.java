package io.quarkiverse.ratelimit.it.entrypoints;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Uni;

/** A limited bean that entry points call. */
@ApplicationScoped
public class Courier {

    @RateLimited("calls")
    public Uni<String> send() {
        return Uni.createFrom().item("sent");
    }
}
