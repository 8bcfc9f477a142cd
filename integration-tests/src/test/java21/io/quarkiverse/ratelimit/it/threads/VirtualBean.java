package io.quarkiverse.ratelimit.it.threads;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** What virtual threads call. */
@ApplicationScoped
public class VirtualBean {

    @RateLimited("three-for-each")
    public String call() {
        return thread();
    }

    @RateLimited("three-for-each")
    public Uni<String> uni() {
        return Uni.createFrom().item("called");
    }

    @RateLimited("three-for-each")
    public Multi<String> multi() {
        return Multi.createFrom().item("called");
    }

    @RateLimited("one-an-hour")
    public void waits() {
    }

    static String thread() {
        return "ran on a virtual thread: " + Thread.currentThread().isVirtual();
    }
}
