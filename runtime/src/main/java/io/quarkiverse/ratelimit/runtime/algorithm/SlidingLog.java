package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.CallLog.lastThat;
import static io.quarkiverse.ratelimit.runtime.algorithm.Micros.micros;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.LongSupplier;

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

    /**
     * The reply of a sliding log.
     *
     * @param used permits that count
     * @param retry microseconds until the cost fits; of a charge, until one more permit comes back
     * @param grows microseconds until one more permit comes back
     * @param full microseconds until no permit counts
     */
    private record Reply(SlidingLog log, long granted, long used, long retry, long grows, long full) implements UsageReply {

        static Reply read(SlidingLog log, LongSupplier numbers) {
            return new Reply(log, numbers.getAsLong(), numbers.getAsLong(), numbers.getAsLong(), numbers.getAsLong(),
                    numbers.getAsLong());
        }

        @Override
        public LimitState state(String name, Call call, long now, boolean charged) {
            boolean allowed = granted > 0, taken = allowed && charged;
            long next = !taken ? grows : call.manner() == OperationKind.CHARGE ? retry : used > 0 ? grows : log.period;
            long remaining = Math.max(0, log.permits - used - (taken ? granted : 0));
            return new LimitUsage(name, log.limit, allowed, log.permits, remaining, Duration.ZERO,
                    micros(allowed ? 0 : retry), micros(remaining == log.permits ? 0 : next),
                    micros(taken ? log.period : full));
        }

        /** The reply does not contain how many entries have expired: at least one. */
        @Override
        public LimitState refilledAfter(long micros, String name, Call call, long now, boolean charged) {
            LimitState before = state(name, call, now, charged);
            LimitUsage later = LimitUsage.later(before, micros, before.remaining() + 1);
            return new LimitUsage(name, log.limit, later.allowed(), later.permits(), later.remaining(), later.delay(),
                    later.retryAfter(), later.resetAfter(), later.resetAfter());
        }

        /** {@code retry} is how long until one more call fits. It does not apply to calls that are allowed. */
        @Override
        public UsageReply first(long cost, long now) {
            boolean fits = log.permits - used >= cost;
            return new Reply(log, fits ? cost : 0, used, fits ? 0 : retry, grows, full);
        }

        @Override
        public UsageReply others(long cost) {
            return new Reply(log, granted, used + cost, retry, used == 0 ? log.period : grows, log.period);
        }
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
        public LimitReply reply(LongSupplier numbers) {
            return Reply.read(SlidingLog.this, numbers);
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
            return new OperationResult(new Reply(SlidingLog.this, granted, used, retry, grows, full),
                    call.manner() != OperationKind.PEEK && writes ? () -> log.with(granted > 0, taken) : null,
                    granted > 0 ? now + period : now + full);
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
                return OperationResult.allowed(null, 0);
            }
            int base = calls.size() - 1;
            int at = lastThat(index -> calls.time(index) > takenAt, -1, base) + 1;
            if (at >= base || at > MAX_NEWER || calls.time(at) != takenAt) {
                return OperationResult.allowed(null, 0);
            }
            long count = calls.total(at) - calls.total(at + 1);
            int newest = at == 0 && count <= returned ? 1 : 0;
            return OperationResult.allowed(() -> without(calls, at, Math.min(returned, count)),
                    calls.time(newest) + calls.keptFor());
        }

        private CallLog without(CallLog calls, int at, long count) {
            calls.refund(at, count);
            return calls.size() == 1 ? null : calls;
        }
    }
}
