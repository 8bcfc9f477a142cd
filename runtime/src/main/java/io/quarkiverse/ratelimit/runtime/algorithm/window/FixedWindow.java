package io.quarkiverse.ratelimit.runtime.algorithm.window;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.UsageReply;

/**
 * Counts in fixed windows. The scripts of {@code fixed_window} explain the algorithm and implement the same.
 *
 * @param period microseconds, 0 if there is a calendar
 * @param calendar {@code null} if there is a period
 */
public record FixedWindow(Limit limit, long permits, long period, CalendarEdges calendar) implements LimitRule {

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
        return new FixedWindowAcquire(this, requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        return new FixedWindowRefund(cost, at, at + micros(decided.resetAfter()));
    }

    /**
     * The reply of a fixed window.
     *
     * @param used permits used in the window
     * @param untilEnd microseconds until the window ends
     */
    record Reply(FixedWindow window, long granted, long used, long untilEnd) implements UsageReply {

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
    record State(long ends, long since, long used) {

        /** The state of a key as of now. */
        static State current(Object stored, long now) {
            return stored instanceof State window && now < window.ends
                    ? new State(window.ends, Math.min(window.since, now), window.used)
                    : new State(now, now, 0);
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

        private static final Layout ARGUMENTS = Layout.of(ScriptFile.FIXED_WINDOW_REFUND, "REFUND");

        @Override
        public ScriptFile function() {
            return ScriptFile.FIXED_WINDOW_REFUND;
        }

        @Override
        public byte[] arguments(long now) {
            return ARGUMENTS.pack(count, acquiredAt, windowEnd);
        }

        @Override
        public OperationResult decide(Object stored, long now, long newCost) {
            State window = State.current(stored, now);
            if (window.used == 0 || acquiredAt < window.since || now < acquiredAt || now >= windowEnd) {
                return OperationResult.unchanged();
            }
            State rest = window.used <= count ? null : new State(window.ends, window.since, window.used - count);
            return OperationResult.allowed(() -> rest, window.ends);
        }
    }
}
