package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Knows when the work of one request ends. Quarkus REST writes no answer where the client has left, and yet the work has
 * a result.
 */
interface EndOfWork {

    /** Nothing is known but what is answered. */
    EndOfWork UNKNOWN = status -> {
    };

    /** Tells the status that its result would be answered with; nothing where it has none, as the work was cancelled. */
    void tell(IntConsumer status);

    /** Finds the work that runs at the moment. */
    interface Current extends Supplier<EndOfWork> {
    }
}
