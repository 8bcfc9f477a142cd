package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;
import java.util.Set;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.CalendarEdges.Windows;

/**
 * Counts in fixed windows. The scripts of {@code fixed_window} explain the algorithm and implement the same.
 *
 * @param period microseconds, 0 if there is a calendar
 * @param calendar {@code null} if there is a period
 */
record FixedWindow(Limit limit, long permits, long period, CalendarEdges calendar) implements LimitRule {

    private static final Set<ScriptFile> ACQUIRE = ScriptFile.set(ScriptFile.FIXED_WINDOW_STATE,
            ScriptFile.FIXED_WINDOW_ACQUIRE);
    private static final Set<ScriptFile> PREFETCH = ScriptFile.set(ScriptFile.PREFETCH, ScriptFile.FIXED_WINDOW_STATE,
            ScriptFile.FIXED_WINDOW_ACQUIRE);
    private static final Set<ScriptFile> REFUND = ScriptFile.set(ScriptFile.RESET, ScriptFile.FIXED_WINDOW_STATE,
            ScriptFile.FIXED_WINDOW_REFUND);
    private static final Layout ARGUMENTS = Layout.of(ScriptFile.FIXED_WINDOW_ACQUIRE, "ARGUMENTS");
    private static final Layout EDGES = Layout.of(ScriptFile.FIXED_WINDOW_ACQUIRE, "EDGES");
    private static final Layout REFUND_ARGUMENTS = Layout.of(ScriptFile.FIXED_WINDOW_REFUND, "REFUND");

    FixedWindow(Limit limit) {
        this(limit, limit.permits(), limit.calendar() == null ? limit.period().toNanos() / 1000 : 0,
                limit.calendar() == null ? null : new CalendarEdges(limit.calendar(), limit.zone()));
    }

    @Override
    public long fillTime(long now) {
        return calendar == null ? period : calendar.end(now) - calendar.start(now);
    }

    @Override
    public Operation acquire(PermitRequest requested) {
        return new Acquire(requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        return new FixedWindowRefund(cost, at, at + decided.resetAfter().toNanos() / 1000);
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

        /** All permits come back together, so there is no time when only some have. */
        @Override
        public LimitState refilledAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
            LimitState before = state(name, requested, now, charged);
            return LimitUsage.later(before, micros, before.remaining());
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
    private record WindowState(long ends, long since, long used) {

        /** The state of a key as of now. */
        static WindowState current(Object stored, long now) {
            return stored instanceof WindowState window && now < window.ends
                    ? new WindowState(window.ends, Math.min(window.since, now), window.used)
                    : new WindowState(now, now, 0);
        }
    }

    private final class Acquire extends AcquireOperation {

        private volatile Prepared prepared;

        /** @param windows of the calendar; {@code null} if there is a period */
        private record Prepared(Windows windows, byte[] arguments) {
        }

        Acquire(PermitRequest requested) {
            super(FixedWindow.this, requested);
        }

        @Override
        public ScriptFile function() {
            return ScriptFile.FIXED_WINDOW_ACQUIRE;
        }

        @Override
        public Set<ScriptFile> files() {
            return requested.kind() == OperationKind.PREFETCH ? PREFETCH : ACQUIRE;
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
            WindowState was = WindowState.current(stored, now);
            long granted = requested.kind() == OperationKind.PREFETCH
                    ? requested.prefetched(requested.cost(), permits - was.used, permits)
                    : requested.granted(newCost > 0 ? newCost : requested.cost(), permits - was.used);
            WindowState is = new WindowState(ends, was.since, Math.min(was.used + granted, MAX_PERMITS_KEPT));
            boolean writes = requested.kind() != OperationKind.PEEK && (granted > 0 || (was.used > 0 && was.ends != ends));
            return new OperationResult(new Reply(FixedWindow.this, granted, was.used, ends - now), writes ? () -> is : null,
                    ends);
        }

        /** The prepared arguments; computed again only when the time has left the current window of the calendar. */
        private Prepared prepared(long now) {
            Prepared known = prepared;
            if (known == null || (calendar != null && !known.windows.areAround(now))) {
                Windows windows = calendar == null ? null : calendar.around(now);
                known = new Prepared(windows, packed(windows));
                prepared = known;
            }
            return known;
        }

        private byte[] packed(Windows windows) {
            byte[] arguments = ARGUMENTS.pack(requested.kind().ordinal(), requested.cost(), requested.least(), permits, period);
            return windows == null ? arguments : Layout.join(arguments, EDGES.pack(windows.edges()));
        }
    }

    /**
     * Refunds permits.
     *
     * @param count number of permits
     * @param acquiredAt when they were acquired
     * @param windowEnd the end of their window
     */
    private record FixedWindowRefund(long count, long acquiredAt, long windowEnd) implements Operation {

        @Override
        public ScriptFile function() {
            return ScriptFile.FIXED_WINDOW_REFUND;
        }

        @Override
        public Set<ScriptFile> files() {
            return REFUND;
        }

        @Override
        public byte[] arguments(long now) {
            return REFUND_ARGUMENTS.pack(count, acquiredAt, windowEnd);
        }

        @Override
        public OperationResult decide(Object stored, long now, long newCost) {
            WindowState was = WindowState.current(stored, now);
            if (was.used == 0 || acquiredAt < was.since || now < acquiredAt || now >= windowEnd) {
                return OperationResult.allowed(null, 0);
            }
            WindowState left = was.used <= count ? null : new WindowState(was.ends, was.since, was.used - count);
            return OperationResult.allowed(() -> left, was.ends);
        }
    }
}
