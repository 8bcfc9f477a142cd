package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.CallLog.lastThat;

import java.util.Set;

/**
 * Refunds permits to a sliding log.
 *
 * @param refunded number of permits
 * @param acquiredAt when they were acquired
 */
record SlidingLogRefund(long refunded, long acquiredAt) implements Operation {

    private static final Set<ScriptFile> FILES = ScriptFile.set(ScriptFile.RESET, ScriptFile.SLIDING_LOG_STATE,
            ScriptFile.SLIDING_LOG_REFUND);
    private static final Layout ARGUMENTS = Layout.of(ScriptFile.SLIDING_LOG_REFUND, "REFUND");
    /** If there are more newer entries than this, permits are not refunded: a refund rewrites every newer entry. */
    private static final int MAX_NEWER = 10_000;

    @Override
    public ScriptFile function() {
        return ScriptFile.SLIDING_LOG_REFUND;
    }

    @Override
    public Set<ScriptFile> files() {
        return FILES;
    }

    @Override
    public byte[] arguments(long now) {
        return ARGUMENTS.pack(refunded, acquiredAt);
    }

    @Override
    public OperationResult decide(Object stored, long now, long newCost) {
        if (!(stored instanceof CallLog calls)) {
            return OperationResult.allowed(null, 0);
        }
        int base = calls.size() - 1;
        int at = lastThat(index -> calls.time(index) > acquiredAt, -1, base) + 1;
        if (at >= base || at > MAX_NEWER || calls.time(at) != acquiredAt) {
            return OperationResult.allowed(null, 0);
        }
        long count = calls.total(at) - calls.total(at + 1);
        int newest = at == 0 && count <= refunded ? 1 : 0;
        return OperationResult.allowed(() -> without(calls, at, Math.min(refunded, count)),
                calls.time(newest) + calls.keptFor());
    }

    private CallLog without(CallLog calls, int at, long count) {
        calls.refund(at, count);
        return calls.size() == 1 ? null : calls;
    }
}
