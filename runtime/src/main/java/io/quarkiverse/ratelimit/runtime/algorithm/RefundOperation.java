package io.quarkiverse.ratelimit.runtime.algorithm;

/** Refunds or releases permits with the {@code _refund} function of an algorithm. */
interface RefundOperation extends Operation {

    @Override
    default String function() {
        return script() + "_refund";
    }

    @Override
    default boolean isRare() {
        return true;
    }
}
