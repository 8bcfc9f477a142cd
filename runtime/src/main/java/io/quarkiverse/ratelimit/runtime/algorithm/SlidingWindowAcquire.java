package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.Set;

/** Acquires permits from a sliding window. */
final class SlidingWindowAcquire extends AcquireOperation {

    private static final Set<ScriptFile> FILES = ScriptFile.set(ScriptFile.SLIDING_WINDOW_STATE,
            ScriptFile.SLIDING_WINDOW_ACQUIRE);
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
    public Set<ScriptFile> files() {
        return FILES;
    }

    @Override
    public byte[] arguments(long now) {
        return arguments;
    }

    @Override
    public LimitReply reply(long granted, long previous, long count, long third, long fourth) {
        return new SlidingWindowReply(window, granted, previous, count);
    }

    @Override
    public OperationResult decide(Object stored, long now, long newCost) {
        long period = window.period();
        SlidingWindowState was = stored instanceof SlidingWindowState state ? state : null;
        SlidingWindowState is = was == null ? null : was.current(period, now);
        if (is == null || is.isEmpty()) {
            is = new SlidingWindowState(period, now, now, 0, 0);
        }
        boolean outdated = !is.isEmpty() && (was.period() != period || was.windows(now) < 0);
        long free = window.free(is.previous(), is.count(), window.left(now));
        long granted = requested.granted(newCost > 0 ? newCost : requested.cost(), free);
        SlidingWindowState kept = granted > 0
                ? new SlidingWindowState(period, is.since(), Math.max(now, is.last()), is.previous(),
                        Math.min(is.count() + granted, LimitRule.MAX_PERMITS_KEPT))
                : new SlidingWindowState(period, is.since(), is.last(), 0, is.previous() + is.count());
        return new OperationResult(new SlidingWindowReply(window, granted, is.previous(), is.count()),
                requested.kind() != OperationKind.PEEK && (granted > 0 || outdated) ? () -> kept : null, kept.endsAt());
    }
}
