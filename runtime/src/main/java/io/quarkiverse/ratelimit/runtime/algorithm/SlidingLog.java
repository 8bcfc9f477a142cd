package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.CallLog.lastThat;
import static io.quarkiverse.ratelimit.runtime.algorithm.Micros.micros;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Counts by a sliding log; {@code sliding_log.lua} explains the algorithm and does the same. */
record SlidingLog(Limit limit, long permits, long period) implements LimitRule {

    private static final String SCRIPT = "sliding_log";
    private static final long MAX_PERMITS_KEPT = 1_000_000_000_000L;
    /** After so many calls permits are not given back: every newer entry would have to be written anew. */
    private static final int MAX_NEWER = 10_000;

    SlidingLog(Limit limit) {
        this(limit, limit.permits(), limit.period().toNanos() / 1000);
    }

    @Override
    public long fillTime(long now) {
        return period;
    }

    @Override
    public Act take(Call call) {
        return new Take(call);
    }

    @Override
    public Act giveBack(LimitState taken, long at, long cost, long id) {
        return new GiveBack(cost, at);
    }

    @Override
    public LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged) {
        boolean admitted = reply[at] > 0;
        boolean taken = admitted && charged;
        long used = reply[at + 1];
        long grows = !taken ? reply[at + 3]
                : call.manner() == Manner.CHARGE ? reply[at + 2] : used > 0 ? reply[at + 3] : period;
        long remaining = Math.max(0, permits - used - (taken ? reply[at] : 0));
        return new LimitState(name, limit, admitted, permits, remaining, Duration.ZERO,
                micros(admitted ? 0 : reply[at + 2]), micros(remaining == permits ? 0 : grows),
                micros(taken ? period : reply[at + 4]));
    }

    private final class Take extends TakeAct {

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

        /** How long until one more fits was answered for those behind the last that was admitted. */
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
        public Verdict decide(Object stored, long now, long less) {
            Log log = new Log(stored instanceof CallLog calls ? calls : new CallLog(), now);
            long used = log.used();
            long granted = call.granted(less > 0 ? less : call.cost(), permits - used);
            long taken = Math.min(granted, MAX_PERMITS_KEPT - used), least = call.least();
            long retry = 0, grows = 0, full = 0;
            if (used > 0) {
                grows = log.untilOnly(Math.min(used, permits) - 1, 0);
                full = log.left(0);
            }
            if (call.manner() == Manner.CHARGE) {
                retry = log.untilOnly(Math.min(used + taken, permits) - 1, taken);
            } else if ((granted == 0 || least < call.cost()) && least <= permits && used + taken + least > permits) {
                retry = log.untilOnly(permits - least, taken);
            }
            boolean writes = granted > 0 || log.newest() > now || (used > 0 && log.calls.keptFor() < period);
            return new Verdict(granted, call.manner() != Manner.PEEK && writes ? () -> log.with(granted > 0, taken) : null,
                    granted > 0 ? now + period : now + full, used, retry, grows, full);
        }
    }

    /** Calls as of now. */
    private final class Log {

        private final CallLog calls;
        private final long now;
        /** The newest entry that counts no more. */
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

        /** How many were taken after this entry. */
        private long after(int index) {
            return calls.total(0) - calls.total(index);
        }

        /** How long until an entry counts no more. */
        long left(int index) {
            return Math.min(calls.time(index), now) + period - now;
        }

        /** How long until so few still count, with so many taken now. */
        long untilOnly(long most, long taken) {
            if (taken > most) {
                return period;
            }
            return left(lastThat(index -> taken + after(index) > most, expired, 0) - 1);
        }

        /** Writes what is taken; entries ahead of now become one. */
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
     * Gives permits back.
     *
     * @param returned how many
     * @param takenAt when they were taken
     */
    private final class GiveBack implements GiveBackAct {

        private final long returned, takenAt;

        GiveBack(long returned, long takenAt) {
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
        public Verdict decide(Object stored, long now, long less) {
            if (!(stored instanceof CallLog calls)) {
                return Verdict.of(1, null, 0);
            }
            int base = calls.size() - 1;
            int at = lastThat(index -> calls.time(index) > takenAt, -1, base) + 1;
            if (at >= base || at > MAX_NEWER || calls.time(at) != takenAt) {
                return Verdict.of(1, null, 0);
            }
            long count = calls.total(at) - calls.total(at + 1);
            int newest = at == 0 && count <= returned ? 1 : 0;
            return Verdict.of(1, () -> without(calls, at, Math.min(returned, count)), calls.time(newest) + calls.keptFor());
        }

        private CallLog without(CallLog calls, int at, long count) {
            calls.giveBack(at, count);
            return calls.size() == 1 ? null : calls;
        }
    }
}
