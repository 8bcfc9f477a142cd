package io.quarkiverse.ratelimit.runtime.web;

import java.util.concurrent.CancellationException;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** The work of a request, as far as its server knows it. */
public interface Work {

    /** Only the response is known. */
    Work UNKNOWN = new Work() {
    };

    /** A failure to which nothing responds. */
    RuntimeException CLIENT_HAS_LEFT = new CancellationException("The client has left while its request was delayed");

    /** Finds the work of the current resource method; {@link #UNKNOWN} if none runs. */
    interface Current extends Supplier<Work> {
    }

    default String pathParameter(String name) {
        return null;
    }

    /**
     * Calls {@code status} with the status that the result of the work stands for, also when the client has left and no
     * response is written. Does not call it for canceled work, which has no result.
     */
    default void onStatus(IntConsumer status) {
    }

    /** Whether the work has begun. Known only after {@link #onStatus}. */
    default boolean hasBegun() {
        return true;
    }

    /**
     * Writes the headers of the result, if they are not written yet. Called when the response begins; without this, Quarkus
     * REST would write them after those of the limiter.
     */
    default void writeHeaders() {
    }

    default void onEnd(Runnable task) {
    }

    /** Whether nothing is running any more when the response is complete. */
    default boolean endsWithResponse() {
        return true;
    }

    /** Whether nothing is running any more when the client has left. */
    default boolean endsWithClient() {
        return true;
    }

    /** Whether only its server may listen to the end of the response, which has one listener. */
    default boolean ownsResponse() {
        return false;
    }

    /** The failure of a request whose client has left before its method was called, which nothing logs as an error. */
    default RuntimeException clientHasLeft() {
        return CLIENT_HAS_LEFT;
    }

    /** Cancels the work if it has not begun when the client leaves. Returns whether it was canceled. */
    default boolean cancel() {
        return false;
    }
}
