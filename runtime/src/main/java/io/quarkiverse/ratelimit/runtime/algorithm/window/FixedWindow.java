package io.quarkiverse.ratelimit.runtime.algorithm.window;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.nio.ByteBuffer;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.AcquireOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;

/**
 * Counts in fixed windows. The scripts of {@code fixed_window} explain the algorithm and implement the same.
 *
 * @param period microseconds, 0 if there is a calendar
 * @param calendar {@code null} if there is a period
 */
public record FixedWindow(Limit limit, long permits, long period, CalendarEdges calendar) implements LimitRule {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.FIXED_WINDOW_ACQUIRE, "ARGUMENTS");
    private static final Layout EDGES = Layout.of(ScriptFile.FIXED_WINDOW_ACQUIRE, "EDGES");
    private static final Layout REFUND = Layout.of(ScriptFile.FIXED_WINDOW_REFUND, "REFUND");

    public FixedWindow(Limit limit) {
        this(limit, limit.permits(), limit.calendar() == null ? micros(limit.period()) : 0,
                limit.calendar() == null ? null : new CalendarEdges(limit.calendar(), limit.zone()));
    }

    @Override
    public KeyLayout layout() {
        return KeyLayout.FIXED_WINDOW;
    }

    @Override
    public long fillTime(long now) {
        return calendar == null ? period : calendar.end(now) - calendar.start(now);
    }

    @Override
    public AcquireOperation acquire(PermitRequest requested) {
        byte[] arguments = ARGUMENTS.pack(requested.kind().ordinal(), requested.cost(), requested.least(), permits, period);
        return calendar == null
                ? new AcquireOperation(this, requested, ScriptFile.FIXED_WINDOW_ACQUIRE, arguments)
                : new CalendarAcquire(requested, arguments);
    }

    @Override
    public UsageReply reply(long granted, long used, long untilEnd, long third, long fourth) {
        return new Reply(this, granted, used, untilEnd);
    }

    @Override
    public OperationResult decide(PermitRequest requested, long cost, Object stored, long now) {
        long ofClock = calendar == null ? now - now % period + period : calendar.end(now);
        State before = State.current(stored, now);
        long ends = before.ahead ? Math.min(before.ends, now + lengthOfWindow(before.ends, now)) : ofClock;
        long granted = requested.granted(cost, permits - before.used, permits);
        State after = new State(ends, before.since, Math.min(before.used + granted, MAX_PERMITS_KEPT), ends != ofClock);
        boolean writes = granted > 0 || before.used > 0 && before.ends != ends;
        return new OperationResult(new Reply(this, granted, before.used, ends - now), writes ? () -> after : null, ends);
    }

    /**
     * Returns the length of the window that ends at this time, or of the longest window if that is none of those around now.
     */
    private long lengthOfWindow(long end, long now) {
        if (calendar == null) {
            return period;
        }
        long[] edges = calendar.around(now);
        long longest = 0;
        for (int i = 1; i < edges.length; i++) {
            long length = edges[i] - edges[i - 1];
            if (edges[i] == end) {
                return length;
            }
            longest = Math.max(longest, length);
        }
        return longest;
    }

    @Override
    public PlainOperation refund(LimitState decided, long at, long cost, long id) {
        long windowEnd = at + micros(decided.resetAfter());
        return new PlainOperation(ScriptFile.FIXED_WINDOW_REFUND, () -> REFUND.pack(cost, at, windowEnd), (stored, now) -> {
            State window = State.current(stored, now);
            if (window.used == 0 || at < window.since || now < at || now >= windowEnd) {
                return OperationResult.unchanged();
            }
            State rest = window.used <= cost ? null : new State(window.ends, window.since, window.used - cost, window.ahead);
            return OperationResult.allowed(() -> rest, window.ends);
        });
    }

    /** Permits used in the window before the call, and microseconds until the window ends. */
    private record Reply(FixedWindow rule, long granted, long used, long untilEnd) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            long used = this.used + (charged ? granted : 0), end = used > 0 ? untilEnd : 0, permits = rule.permits;
            return new LimitUsage(name, rule.limit, granted > 0, permits, Math.max(0, permits - used), 0,
                    granted > 0 || requested.least() > permits ? 0 : untilEnd, end, end);
        }

        @Override
        public Object stored(long now) {
            return new State(now + untilEnd, now, used, false);
        }

        @Override
        public Reply toOne(long cost, long charged, long now) {
            long before = used + charged;
            return new Reply(rule, rule.permits - before < cost ? 0 : cost, before, untilEnd);
        }
    }

    /**
     * The state of a key: when its window ends, since when it counts, and how many permits are used.
     *
     * @param ahead true if the clock has jumped back to before the window
     */
    private record State(long ends, long since, long used, boolean ahead) {

        static State current(Object stored, long now) {
            return stored instanceof State window && now < window.ends
                    ? new State(window.ends, Math.min(window.since, now), window.used, window.ahead || window.since > now)
                    : new State(now, now, 0, false);
        }
    }

    /** Acquires permits in windows of a calendar. The arguments contain those around now. */
    private final class CalendarAcquire extends AcquireOperation {

        private volatile Prepared prepared = new Prepared(0, 0, null);

        CalendarAcquire(PermitRequest requested, byte[] head) {
            super(FixedWindow.this, requested, ScriptFile.FIXED_WINDOW_ACQUIRE, head);
        }

        /** The arguments from the begin to the end of a window. */
        private record Prepared(long begin, long end, byte[] arguments) {
        }

        @Override
        public byte[] arguments(long now) {
            Prepared known = prepared;
            if (now < known.begin || now >= known.end) {
                long[] edges = calendar.around(now);
                byte[] head = super.arguments(now), tail = EDGES.pack(edges);
                known = new Prepared(edges[CalendarEdges.CURRENT], edges[CalendarEdges.CURRENT + 1],
                        ByteBuffer.allocate(head.length + tail.length).put(head).put(tail).array());
                prepared = known;
            }
            return known.arguments;
        }
    }
}
