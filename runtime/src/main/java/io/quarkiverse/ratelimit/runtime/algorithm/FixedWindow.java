package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.Micros.micros;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

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

    @Override
    public LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged) {
        boolean allowed = reply[at] > 0;
        long used = reply[at + 1] + (charged ? reply[at] : 0);
        Duration untilEnd = micros(reply[at + 2]);
        return new LimitUsage(name, limit, allowed, permits, Math.max(0, permits - used), Duration.ZERO,
                allowed || call.least() > permits ? Duration.ZERO : untilEnd,
                used > 0 ? untilEnd : Duration.ZERO, used > 0 ? untilEnd : Duration.ZERO);
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
        long available(long[] numbers, int at, long now) {
            return permits - numbers[at + 1];
        }

        @Override
        public void others(long[] numbers, int at) {
            numbers[at + 1] += call.cost();
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
            return new OperationResult(granted, writes ? () -> is : null, ends, was.used, ends - now, 0, 0);
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
                return OperationResult.of(1, null, 0);
            }
            Stored left = was.used <= count ? null : new Stored(was.ends, was.since, was.used - count);
            return OperationResult.of(1, () -> left, was.ends);
        }
    }
}
