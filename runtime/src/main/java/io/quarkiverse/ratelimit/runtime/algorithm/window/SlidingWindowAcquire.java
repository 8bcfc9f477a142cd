package io.quarkiverse.ratelimit.runtime.algorithm.window;

import io.quarkiverse.ratelimit.runtime.algorithm.AcquireOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;

/** Acquires permits from a sliding window. */
final class SlidingWindowAcquire extends AcquireOperation {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.SLIDING_WINDOW_ACQUIRE, "ARGUMENTS");

    private final SlidingWindow window;
    private final byte[] arguments;

    SlidingWindowAcquire(SlidingWindow window, PermitRequest requested) {
        super(window, requested);
        this.window = window;
        this.arguments = ARGUMENTS.pack(requested.kind().ordinal(), requested.cost(), requested.least(), window.permits(),
                window.period());
    }

    @Override
    public ScriptFile function() {
        return ScriptFile.SLIDING_WINDOW_ACQUIRE;
    }

    @Override
    public byte[] arguments(long now) {
        return arguments;
    }

    @Override
    public LimitReply reply(long granted, long previous, long count, long third, long fourth) {
        return new SlidingWindow.Reply(window, granted, previous, count);
    }

    @Override
    public OperationResult decide(Object value, long now, long newCost) {
        long period = window.period();
        SlidingWindowState stored = value instanceof SlidingWindowState state ? state : null;
        SlidingWindowState before = stored == null ? null : stored.current(period, now);
        if (before == null || before.isEmpty()) {
            before = new SlidingWindowState(period, now, now, 0, 0);
        }
        boolean outdated = !before.isEmpty() && (stored.period() != period || stored.windows(now) < 0);
        long free = window.free(before.previous(), before.count(), now);
        long granted = requested.granted(newCost > 0 ? newCost : requested.cost(), free);
        SlidingWindowState after = granted > 0
                ? new SlidingWindowState(period, before.since(), Math.max(now, before.last()), before.previous(),
                        Math.min(before.count() + granted, LimitRule.MAX_PERMITS_KEPT))
                : new SlidingWindowState(period, before.since(), before.last(), 0, before.previous() + before.count());
        return new OperationResult(new SlidingWindow.Reply(window, granted, before.previous(), before.count()),
                requested.kind() != OperationKind.PEEK && (granted > 0 || outdated) ? () -> after : null, after.endsAt());
    }
}
