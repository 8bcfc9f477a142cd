package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.Micros.micros;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/**
 * Counts in fixed windows. {@code fixed_window.lua} explains the algorithm and implements the same.
 *
 * @param period microseconds, 0 if there is a calendar
 * @param calendar {@code null} if there is a period
 */
record FixedWindow(Limit limit, long permits, long period, CalendarEdges calendar) implements LimitRule {

    private static final String SCRIPT = "fixed_window";
    private static final long MAX_USED = 1_000_000_000_000_000L;

    FixedWindow(Limit limit) {
        this(limit, limit.permits(), limit.calendar() == null ? limit.period().toNanos() / 1000 : 0,
                limit.calendar() == null ? null : new CalendarEdges(limit.calendar(), limit.zone()));
    }

    @Override
    public long fillTime(long now) {
        return calendar == null ? period : calendar.end(now) - calendar.start(now);
    }

    @Override
    public Operation take(Call call) {
        return new Take(call);
    }

    @Override
    public Operation refund(LimitState taken, long at, long cost, long id) {
        return new Refund(cost, at, at + taken.resetAfter().toNanos() / 1000);
    }

    /**
     * The reply of a fixed window.
     *
     * @param used permits used in the window
     * @param untilEnd microseconds until the window ends
     */
    private record Reply(FixedWindow window, long granted, long used, long untilEnd) implements UsageReply {

        static Reply read(FixedWindow window, LongSupplier numbers) {
            Reply reply = new Reply(window, numbers.getAsLong(), numbers.getAsLong(), numbers.getAsLong());
            numbers.getAsLong();
            numbers.getAsLong();
            return reply;
        }

        @Override
        public LimitState state(String name, Call call, long now, boolean charged) {
            boolean allowed = granted > 0;
            long used = this.used + (charged ? granted : 0), permits = window.permits;
            Duration end = micros(untilEnd);
            return new LimitUsage(name, window.limit, allowed, permits, Math.max(0, permits - used), Duration.ZERO,
                    allowed || call.least() > permits ? Duration.ZERO : end,
                    used > 0 ? end : Duration.ZERO, used > 0 ? end : Duration.ZERO);
        }

        /** All permits come back together, so there is no time when only some have. */
        @Override
        public LimitState refilledAfter(long micros, String name, Call call, long now, boolean charged) {
            LimitState before = state(name, call, now, charged);
            return LimitUsage.later(before, micros, before.remaining());
        }

        @Override
        public UsageReply first(long cost, long now) {
            return new Reply(window, window.permits - used < cost ? 0 : cost, used, untilEnd);
        }

        @Override
        public UsageReply others(long cost) {
            return new Reply(window, granted, used + cost, untilEnd);
        }
    }

    /** The state of a key: when its window ends, since when it counts, and how many permits are used. */
    private record Stored(long ends, long since, long used) {

        /** The state of a key as of now. */
        static Stored current(Object stored, long now) {
            return stored instanceof Stored window && now < window.ends
                    ? new Stored(window.ends, Math.min(window.since, now), window.used)
                    : new Stored(now, now, 0);
        }
    }

    private final class Take extends AcquireOperation {

        private volatile Prepared prepared;

        /** @param edges edges of the calendar windows, {@code null} if there is a period */
        private record Prepared(long[] edges, byte[] arguments) {
        }

        Take(Call call) {
            super(FixedWindow.this, call);
        }

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public LimitReply reply(LongSupplier numbers) {
            return Reply.read(FixedWindow.this, numbers);
        }

        @Override
        public byte[] arguments(long now) {
            return prepared(now).arguments;
        }

        @Override
        public OperationResult decide(Object stored, long now, long less) {
            long ends = calendar == null ? now - now % period + period : CalendarEdges.endOfTheMiddle(prepared(now).edges);
            Stored was = Stored.current(stored, now);
            long granted = call.granted(less > 0 ? less : call.cost(), permits - was.used);
            Stored is = new Stored(ends, was.since, Math.min(was.used + granted, MAX_USED));
            boolean writes = call.manner() != OperationKind.PEEK && (granted > 0 || (was.used > 0 && was.ends != ends));
            return new OperationResult(new Reply(FixedWindow.this, granted, was.used, ends - now), writes ? () -> is : null,
                    ends);
        }

        /** The prepared arguments; computed again only when the time has left the middle window. */
        private Prepared prepared(long now) {
            Prepared known = prepared;
            if (known == null || (calendar != null && !CalendarEdges.isInTheMiddle(known.edges, now))) {
                long[] edges = calendar == null ? null : calendar.around(now);
                known = new Prepared(edges, packed(edges));
                prepared = known;
            }
            return known;
        }

        private byte[] packed(long[] edges) {
            ByteBuffer packed = ByteBuffer.allocate(21 + (edges == null ? 0 : edges.length * Double.BYTES))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put((byte) call.manner().ordinal()).putInt((int) call.cost()).putInt((int) call.least())
                    .putInt((int) permits).putDouble(period);
            if (edges != null) {
                for (long edge : edges) {
                    packed.putDouble(edge);
                }
            }
            return packed.array();
        }
    }

    /**
     * Refunds permits.
     *
     * @param count number of permits
     * @param takenAt when they were acquired
     * @param takenUntil the end of their window
     */
    private record Refund(long count, long takenAt, long takenUntil) implements RefundOperation {

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public byte[] arguments(long now) {
            return ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN).putInt((int) count).putDouble(takenAt)
                    .putDouble(takenUntil).array();
        }

        @Override
        public OperationResult decide(Object stored, long now, long less) {
            Stored was = Stored.current(stored, now);
            if (was.used == 0 || takenAt < was.since || now < takenAt || now >= takenUntil) {
                return OperationResult.allowed(null, 0);
            }
            Stored left = was.used <= count ? null : new Stored(was.ends, was.since, was.used - count);
            return OperationResult.allowed(() -> left, was.ends);
        }
    }
}
