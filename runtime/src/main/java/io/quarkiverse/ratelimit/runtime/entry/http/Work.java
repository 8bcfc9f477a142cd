package io.quarkiverse.ratelimit.runtime.entry.http;

import java.util.concurrent.CancellationException;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** The work of a request, as far as its server knows it. */
public interface Work {

    /** Only the response is known. */
    Work UNKNOWN = new Work() {
    };

    Work ENDED = new Work() {
    };

    int UNKNOWN_STATUS = 0;

    /** A failure to which nothing responds. */
    RuntimeException CLIENT_HAS_LEFT = new CancellationException("The client has left while its request was delayed");

    /** Finds the work of the current resource method; {@link #UNKNOWN} if none runs. */
    interface Current extends Supplier<Work> {
    }

    default String pathParameter(String name) {
        return null;
    }

    /** Returns whether the work has begun, or its server does not report when it begins. */
    default boolean hasBegun() {
        return true;
    }

    /**
     * Calls {@code end} when the work has ended, with the status that its result stands for, also when the client has left
     * and no response is written. The status is {@link #UNKNOWN_STATUS} if there is no result, such as that of canceled work.
     */
    default void onEnd(IntConsumer end) {
    }

    /**
     * Writes the headers of the result, if they are not written yet. Called when the response begins; without this, Quarkus
     * REST would write them after those of the limiter.
     */
    default void writeHeaders() {
    }

    /** Returns whether nothing is running any more when the response is complete. */
    default boolean isOverWhenResponded() {
        return true;
    }

    /** Returns whether nothing is running any more when the client has left. */
    default boolean isOverWhenClientLeft() {
        return true;
    }

    /** Returns whether only its server may listen to the end of the response, which has one listener. */
    default boolean ownsResponse() {
        return false;
    }

    /** Returns the failure of a request whose client has left before its method was called, which nothing logs as an error. */
    default RuntimeException clientHasLeft() {
        return CLIENT_HAS_LEFT;
    }

    /** Ends the work if it waits and has not begun. */
    default void cancel() {
    }
}
