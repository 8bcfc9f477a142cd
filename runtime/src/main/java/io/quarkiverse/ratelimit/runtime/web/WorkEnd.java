package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Reports the end of a request's work, and writes the headers of its result. When the client has left, Quarkus REST writes no
 * response, but the work still has a result.
 */
public interface WorkEnd {

    /** Reports nothing, as only the response is known. */
    WorkEnd UNKNOWN = status -> {
    };

    /**
     * Calls {@code status} with the status that the result of the work stands for. Does not call it for canceled work,
     * which has no result.
     */
    void onStatus(IntConsumer status);

    /**
     * Writes the headers of the result, if they are not written yet. Called when the response begins; without this, Quarkus
     * REST would write them after those of the limiter.
     */
    default void writeHeaders() {
    }

    /** Finds the work of the current request. */
    interface Current extends Supplier<WorkEnd> {
    }
}
