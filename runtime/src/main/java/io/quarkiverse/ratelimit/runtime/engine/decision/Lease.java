package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.util.function.BooleanSupplier;

import io.smallrye.mutiny.Uni;

/** Holds the permits of a call while it runs. */
public interface Lease {

    Lease NONE = () -> Uni.createFrom().voidItem();

    /**
     * Releases the permits now, even without a subscriber. Repeated calls have no effect. Completes when the store has
     * replied, or after a second; then the release is retried in the background.
     */
    Uni<Void> release();

    /**
     * Confirms that this lease will be released. A lease without this confirmation, as its call was canceled too
     * early, is released instead of renewed.
     *
     * @param ended called before each renewal; the lease is released when it returns {@code true}
     */
    default void confirm(BooleanSupplier ended) {
    }

    /** Confirms that this lease will be released. */
    default Lease confirm() {
        confirm(() -> false);
        return this;
    }
}
