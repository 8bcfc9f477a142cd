package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.CallLog.lastThat;
import static io.quarkiverse.ratelimit.runtime.algorithm.Micros.micros;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Counts by a sliding log. {@code sliding_log.lua} explains the algorithm and implements the same. */
record SlidingLog(Limit limit, long permits, long period) implements LimitRule {

    private static final String SCRIPT = "sliding_log";
    private static final long MAX_PERMITS_KEPT = 1_000_000_000_000L;
    /** If there are more newer entries than this, permits are not refunded: a refund rewrites every newer entry. */
    private static final int MAX_NEWER = 10_000;

    SlidingLog(Limit limit) {
        this(limit, limit.permits(), limit.period().toNanos() / 1000);
    }

    @Override
    public long fillTime(long now) {
        return period;
    }

    @Override
    public Operation take(Call call) {
        return new Take(call);
    }

    @Override
    public Operation refund(LimitState taken, long at, long cost, long id) {
        return new Refund(cost, at);
    }

    @Override
    public LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged) {
        boolean allowed = reply[at] > 0;
        boolean taken = allowed && charged;
        long used = reply[at + 1];
        long grows = !taken ? reply[at + 3]
                : call.manner() == OperationKind.CHARGE ? reply[at + 2] : used > 0 ? reply[at + 3] : period;
        long remaining = Math.max(0, permits - used - (taken ? reply[at] : 0));
        return new LimitUsage(name, limit, allowed, permits, remaining, Duration.ZERO,
                micros(allowed ? 0 : reply[at + 2]), micros(remaining == permits ? 0 : grows),
                micros(taken ? period : reply[at + 4]));
    }

    private final class Take extends AcquireOperation {

        private final byte[] arguments;

        Take(Call call) {
            super(SlidingLog.this, call);
            this.arguments = ByteBuffer.allocate(21).order(ByteOrder.LITTLE_ENDIAN).put((byte) call.manner().ordinal())
                    .putInt((int) call.cost()).putInt((int) call.least()).putInt((int) permits).putDouble(period).array();
        }

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        long available(long[] numbers, int at, long now) {
            return permits - numbers[at + 1];
        }

        /** The reply contains how long until one more call fits. It does not apply to calls that are allowed. */
        @Override
        public void first(long[] numbers, int at, long now) {
            super.first(numbers, at, now);
            if (numbers[at] > 0) {
                numbers[at + 2] = 0;
            }
        }

        @Override
        public void others(long[] numbers, int at) {
            if (numbers[at + 1] == 0) {
                numbers[at + 3] = period;
            }
            numbers[at + 1] += call.cost();
            numbers[at + 4] = period;
        }

        @Override
        public byte[] arguments(long now) {
            return arguments;
        }

        @Override
        public OperationResult decide(Object stored, long now, long less) {
            Log log = new Log(stored instanceof CallLog calls ? calls : new CallLog(), now);
            long used = log.used();
            long granted = call.granted(less > 0 ? less : call.cost(), permits - used);
            long taken = Math.min(granted, MAX_PERMITS_KEPT - used), least = call.least();
            long retry = 0, grows = 0, full = 0;
            if (used > 0) {
                grows = log.untilOnly(Math.min(used, permits) - 1, 0);
                full = log.left(0);
            }
            if (call.manner() == OperationKind.CHARGE) {
                retry = log.untilOnly(Math.min(used + taken, permits) - 1, taken);
            } else if ((granted == 0 || least < call.cost()) && least <= permits && used + taken + least > permits) {
                retry = log.untilOnly(permits - least, taken);
            }
            boolean writes = granted > 0 || log.newest() > now || (used > 0 && log.calls.keptFor() < period);
            return new OperationResult(granted,
                    call.manner() != OperationKind.PEEK && writes ? () -> log.with(granted > 0, taken) : null,
                    granted > 0 ? now + period : now + full, used, retry, grows, full);
        }
    }

    /** The log as of now. */
    private final class Log {

        private final CallLog calls;
        private final long now;
        /** The newest entry that no longer counts. */
        private final int expired;

        Log(CallLog calls, long now) {
            this.calls = calls;
            this.now = now;
            this.expired = newest() + period <= now ? 0
                    : lastThat(index -> calls.time(index) + period <= now, calls.size() - 1, 0);
        }

        long newest() {
            return calls.time(0);
        }

        long used() {
            return after(expired);
        }

        /** How many permits were acquired after this entry. */
        private long after(int index) {
            return calls.total(0) - calls.total(index);
        }

        /** How long until an entry no longer counts. */
        long left(int index) {
            return Math.min(calls.time(index), now) + period - now;
        }

        /** How long until at most {@code most} permits count, if {@code taken} permits are acquired now. */
        long untilOnly(long most, long taken) {
            if (taken > most) {
                return period;
            }
            return left(lastThat(index -> taken + after(index) > most, expired, 0) - 1);
        }

        /** Adds the acquired permits, and merges entries whose time is in the future. */
        CallLog with(boolean granted, long taken) {
            if (granted || newest() > now) {
                long total = calls.total(0) + taken;
                int replaced = newest() < now ? 0 : lastThat(index -> calls.time(index) >= now, 0, expired) + 1;
                int kept = !granted || used() + taken <= permits ? expired
                        : lastThat(index -> taken + after(index) >= permits, expired, -1);
                long baseTime = calls.time(expired), baseTotal = calls.total(expired);
                calls.keep(replaced, kept);
                if (kept < expired) {
                    calls.addLast(baseTime, baseTotal);
                }
                calls.addFirst(now, total);
            }
            calls.keepFor(period);
            return calls;
        }
    }

    /**
     * Refunds permits.
     *
     * @param returned number of permits
     * @param takenAt when they were acquired
     */
    private final class Refund implements RefundOperation {

        private final long returned, takenAt;

        Refund(long returned, long takenAt) {
            this.returned = returned;
            this.takenAt = takenAt;
        }

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public byte[] arguments(long now) {
            return ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putInt((int) returned).putDouble(takenAt).array();
        }

        @Override
        public OperationResult decide(Object stored, long now, long less) {
            if (!(stored instanceof CallLog calls)) {
                return OperationResult.of(1, null, 0);
            }
            int base = calls.size() - 1;
            int at = lastThat(index -> calls.time(index) > takenAt, -1, base) + 1;
            if (at >= base || at > MAX_NEWER || calls.time(at) != takenAt) {
                return OperationResult.of(1, null, 0);
            }
            long count = calls.total(at) - calls.total(at + 1);
            int newest = at == 0 && count <= returned ? 1 : 0;
            return OperationResult.of(1, () -> without(calls, at, Math.min(returned, count)),
                    calls.time(newest) + calls.keptFor());
        }

        private CallLog without(CallLog calls, int at, long count) {
            calls.refund(at, count);
            return calls.size() == 1 ? null : calls;
        }
    }
}
