package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.Set;

/**
 * Refunds permits to a sliding window.
 *
 * @param refunded number of permits
 * @param period the period when they were acquired
 * @param acquiredAt when they were acquired
 */
record SlidingWindowRefund(long refunded, long period, long acquiredAt) implements Operation {

    private static final Set<ScriptFile> FILES = ScriptFile.set(ScriptFile.RESET, ScriptFile.SLIDING_WINDOW_STATE,
            ScriptFile.SLIDING_WINDOW_REFUND);
    private static final Layout ARGUMENTS = Layout.of(ScriptFile.SLIDING_WINDOW_REFUND, "REFUND");

    @Override
    public ScriptFile function() {
        return ScriptFile.SLIDING_WINDOW_REFUND;
    }

    @Override
    public Set<ScriptFile> files() {
        return FILES;
    }

    @Override
    public byte[] arguments(long now) {
        return ARGUMENTS.pack(refunded, period, acquiredAt);
    }

    @Override
    public OperationResult decide(Object stored, long now, long newCost) {
        if (!(stored instanceof SlidingWindowState was) || was.period() != period || acquiredAt < was.since()
                || now / period - acquiredAt / period > 1) {
            return OperationResult.allowed(null, 0);
        }
        long windows = -was.windows(acquiredAt);
        if (windows < 0 || windows > 1) {
            return OperationResult.allowed(null, 0);
        }
        SlidingWindowState left = new SlidingWindowState(period, was.since(), was.last(),
                windows == 1 ? Math.max(0, was.previous() - refunded) : was.previous(),
                windows == 0 ? Math.max(0, was.count() - refunded) : was.count());
        return OperationResult.allowed(left.endsAt() <= now ? () -> null : () -> left, left.endsAt());
    }
}
