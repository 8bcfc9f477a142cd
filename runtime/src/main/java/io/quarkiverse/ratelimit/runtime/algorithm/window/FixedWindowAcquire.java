package io.quarkiverse.ratelimit.runtime.algorithm.window;

import io.quarkiverse.ratelimit.runtime.algorithm.AcquireOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.window.CalendarEdges.Windows;
import io.quarkiverse.ratelimit.runtime.algorithm.window.FixedWindow.State;

/** Acquires permits from a fixed window. */
final class FixedWindowAcquire extends AcquireOperation {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.FIXED_WINDOW_ACQUIRE, "ARGUMENTS");
    private static final Layout EDGES = Layout.of(ScriptFile.FIXED_WINDOW_ACQUIRE, "EDGES");
    private static final long PREFETCH = ScriptFile.FIXED_WINDOW_ACQUIRE.filesWith(ScriptFile.PREFETCH);

    private final FixedWindow rule;
    private volatile Prepared prepared;

    /** @param windows of the calendar; {@code null} if there is a period */
    private record Prepared(Windows windows, byte[] arguments) {
    }

    FixedWindowAcquire(FixedWindow rule, PermitRequest requested) {
        super(rule, requested);
        this.rule = rule;
    }

    @Override
    public ScriptFile function() {
        return ScriptFile.FIXED_WINDOW_ACQUIRE;
    }

    @Override
    public long files() {
        return requested.kind() == OperationKind.PREFETCH ? PREFETCH : super.files();
    }

    @Override
    public LimitReply reply(long granted, long used, long untilEnd, long third, long fourth) {
        return new FixedWindow.Reply(rule, granted, used, untilEnd);
    }

    @Override
    public byte[] arguments(long now) {
        return prepared(now).arguments;
    }

    @Override
    public OperationResult decide(Object stored, long now, long newCost) {
        long ends = rule.calendar() == null ? now - now % rule.period() + rule.period() : prepared(now).windows.end();
        State before = State.current(stored, now);
        long permits = rule.permits(), used = before.used();
        long granted = requested.kind() == OperationKind.PREFETCH
                ? requested.prefetched(requested.cost(), permits - used, permits)
                : requested.granted(newCost > 0 ? newCost : requested.cost(), permits - used);
        State after = new State(ends, before.since(), Math.min(used + granted, LimitRule.MAX_PERMITS_KEPT));
        boolean writes = requested.kind() != OperationKind.PEEK && (granted > 0 || used > 0 && before.ends() != ends);
        return new OperationResult(new FixedWindow.Reply(rule, granted, used, ends - now), writes ? () -> after : null, ends);
    }

    /** The prepared arguments; computed again only when the time has left the current window of the calendar. */
    private Prepared prepared(long now) {
        Prepared known = prepared;
        if (known == null || rule.calendar() != null && !known.windows.areAround(now)) {
            Windows windows = rule.calendar() == null ? null : rule.calendar().around(now);
            known = new Prepared(windows, packed(windows));
            prepared = known;
        }
        return known;
    }

    private byte[] packed(Windows windows) {
        byte[] arguments = ARGUMENTS.pack(requested.kind().ordinal(), requested.cost(), requested.least(), rule.permits(),
                rule.period());
        return windows == null ? arguments : Layout.join(arguments, EDGES.pack(windows.edges()));
    }
}
