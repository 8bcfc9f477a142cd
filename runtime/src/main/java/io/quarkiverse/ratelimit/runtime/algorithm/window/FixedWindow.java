package io.quarkiverse.ratelimit.runtime.algorithm.window;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.nio.ByteBuffer;
import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.AcquireOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.window.CalendarEdges.Windows;

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
    private static final long PREFETCH = ScriptFile.FIXED_WINDOW_ACQUIRE.filesWith(ScriptFile.PREFETCH);

    public FixedWindow(Limit limit) {
        this(limit, limit.permits(), limit.calendar() == null ? micros(limit.period()) : 0,
                limit.calendar() == null ? null : new CalendarEdges(limit.calendar(), limit.zone()));
    }

    @Override
    public long fillTime(long now) {
        return calendar == null ? period : calendar.end(now) - calendar.start(now);
    }

    @Override
    public boolean losesUnusedPermits() {
        return true;
    }

    @Override
    public Operation acquire(PermitRequest requested) {
        return new Acquire(requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        long windowEnd = at + micros(decided.resetAfter());
        return new PlainOperation(ScriptFile.FIXED_WINDOW_REFUND, () -> REFUND.pack(cost, at, windowEnd), (stored, now) -> {
            State window = State.current(stored, now);
            if (window.used == 0 || at < window.since || now < at || now >= windowEnd) {
                return OperationResult.unchanged();
            }
            State rest = window.used <= cost ? null : new State(window.ends, window.since, window.used - cost);
            return OperationResult.allowed(() -> rest, window.ends);
        });
    }

    /**
     * The reply of a fixed window.
     *
     * @param used permits used in the window
     * @param untilEnd microseconds until the window ends
     */
    private record Reply(FixedWindow window, long granted, long used, long untilEnd) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            boolean allowed = granted > 0;
            long used = this.used + (charged ? granted : 0), permits = window.permits;
            Duration end = micros(untilEnd);
            return new LimitUsage(name, window.limit, allowed, permits, Math.max(0, permits - used), Duration.ZERO,
                    allowed || requested.least() > permits ? Duration.ZERO : end,
                    used > 0 ? end : Duration.ZERO, used > 0 ? end : Duration.ZERO);
        }

        @Override
        public Object stored(long now) {
            return new State(now + untilEnd, now, used);
        }

        @Override
        public UsageReply forFirst(long cost, long now) {
            return new Reply(window, window.permits - used < cost ? 0 : cost, used, untilEnd);
        }

        @Override
        public UsageReply afterCharge(long cost) {
            return new Reply(window, granted, used + cost, untilEnd);
        }
    }

    /** The state of a key: when its window ends, since when it counts, and how many permits are used. */
    private record State(long ends, long since, long used) {

        static State current(Object stored, long now) {
            return stored instanceof State window && now < window.ends
                    ? new State(window.ends, Math.min(window.since, now), window.used)
                    : new State(now, now, 0);
        }
    }

    /** Acquires permits. */
    private final class Acquire extends AcquireOperation {

        private volatile Prepared prepared;

        Acquire(PermitRequest requested) {
            super(FixedWindow.this, requested);
        }

        /** @param windows of the calendar; {@code null} if there is a period */
        private record Prepared(Windows windows, byte[] arguments) {
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
            return new Reply(FixedWindow.this, granted, used, untilEnd);
        }

        @Override
        public byte[] arguments(long now) {
            return prepared(now).arguments;
        }

        @Override
        public OperationResult decide(Object stored, long now, long newCost) {
            long ends = calendar == null ? now - now % period + period : prepared(now).windows.end();
            State before = State.current(stored, now);
            long used = before.used;
            long granted = requested.kind() == OperationKind.PREFETCH
                    ? requested.prefetched(requested.cost(), permits - used, permits)
                    : requested.granted(newCost > 0 ? newCost : requested.cost(), permits - used);
            State after = new State(ends, before.since, Math.min(used + granted, MAX_PERMITS_KEPT));
            boolean writes = requested.kind() != OperationKind.PEEK && (granted > 0 || used > 0 && before.ends != ends);
            return new OperationResult(new Reply(FixedWindow.this, granted, used, ends - now), writes ? () -> after : null,
                    ends);
        }

        /** The prepared arguments; computed again only when the time has left the current window of the calendar. */
        private Prepared prepared(long now) {
            Prepared known = prepared;
            if (known == null || calendar != null && !known.windows.areAround(now)) {
                Windows windows = calendar == null ? null : calendar.around(now);
                known = new Prepared(windows, packed(windows));
                prepared = known;
            }
            return known;
        }

        private byte[] packed(Windows windows) {
            byte[] arguments = ARGUMENTS.pack(requested.kind().ordinal(), requested.cost(), requested.least(), permits, period);
            if (windows == null) {
                return arguments;
            }
            byte[] edges = EDGES.pack(windows.edges());
            return ByteBuffer.allocate(arguments.length + edges.length).put(arguments).put(edges).array();
        }
    }
}
