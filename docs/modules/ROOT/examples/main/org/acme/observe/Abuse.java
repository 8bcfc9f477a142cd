package org.acme.observe;

import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;

import io.quarkiverse.ratelimit.RateLimitExceeded;

// tag::observer[]
@ApplicationScoped
public class Abuse {

    private final Collection<String> reports = new ConcurrentLinkedQueue<>();

    void report(@ObservesAsync RateLimitExceeded exceeded) {
        reports.add(exceeded.policy() + ": " + exceeded.decision().key());
    }
    // end::observer[]

    Collection<String> reports() {
        return reports;
    }
    // tag::observer[]
}
// end::observer[]
