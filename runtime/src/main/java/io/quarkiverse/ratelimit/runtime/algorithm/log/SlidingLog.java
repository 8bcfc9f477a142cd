package io.quarkiverse.ratelimit.runtime.algorithm.log;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;
import static io.quarkiverse.ratelimit.runtime.algorithm.log.CallLog.lastThat;

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

/** Counts by a sliding log. The scripts of {@code sliding_log} explain the algorithm and implement the same. */
public record SlidingLog(Limit limit, long permits, long period) implements LimitRule {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.SLIDING_LOG_ACQUIRE, "ARGUMENTS");
    private static final Layout REFUND = Layout.of(ScriptFile.SLIDING_LOG_REFUND, "REFUND");
    private static final long MAX_PERMITS_LOGGED = 1_000_000_000_000L;
    /** If there are more newer entries than this, permits are not refunded: a refund rewrites every newer entry. */
    private static final int MAX_NEWER = 10_000;
    /** The most entries of a log whose permits come back evenly. */
    private static final int MAX_SPREAD = 64;

    public SlidingLog(Limit limit) {
        this(limit, limit.permits(), micros(limit.period()));
    }

    @Override
    public long fillTime(long now) {
        return period;
    }

    @Override
    public Operation acquire(PermitRequest requested) {
        return new Acquire(requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        return new PlainOperation(ScriptFile.SLIDING_LOG_REFUND, () -> REFUND.pack(cost, at), (stored, now) -> {
            if (!(stored instanceof CallLog calls)) {
                return OperationResult.unchanged();
            }
            int base = calls.size() - 1;
            int entry = lastThat(index -> calls.time(index) > at, -1, base) + 1;
            if (entry >= base || entry > MAX_NEWER || calls.time(entry) != at) {
                return OperationResult.unchanged();
            }
            long count = calls.total(entry) - calls.total(entry + 1);
            int newest = entry == 0 && count <= cost ? 1 : 0;
            return OperationResult.allowed(() -> calls.refund(entry, Math.min(cost, count)),
                    calls.time(newest) + calls.keptFor());
        });
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

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            boolean allowed = granted > 0, charges = allowed && charged;
            long next = !charges ? grows : requested.kind() == OperationKind.CHARGE ? retry : used > 0 ? grows : log.period;
            long remaining = Math.max(0, log.permits - used - (charges ? granted : 0));
            return new LimitUsage(name, log.limit, allowed, log.permits, remaining, Duration.ZERO,
                    micros(allowed ? 0 : retry), micros(remaining == log.permits ? 0 : next),
                    micros(charges ? log.period : full));
        }

        /** The reply does not contain how many entries have expired: at least one. */
        @Override
        public LimitState refilledAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
            LimitState before = state(name, requested, now, charged);
            LimitUsage later = LimitUsage.later(before, micros, before.remaining() + 1);
            return new LimitUsage(name, log.limit, later.allowed(), later.permits(), later.remaining(), later.delay(),
                    later.retryAfter(), later.resetAfter(), later.resetAfter());
        }

        /** The reply has the times of the first and the last permit that comes back. The others come back evenly between. */
        @Override
        public Object stored(long now) {
            CallLog calls = new CallLog();
            long entries = full > grows ? Math.min(used, MAX_SPREAD) : 1;
            for (int i = 1; i <= entries; i++) {
                long untilFree = entries == 1 ? full : grows + (full - grows) * (i - 1) / (entries - 1);
                calls.addFirst(now + untilFree - log.period, used * i / entries);
            }
            calls.keepFor(log.period);
            return calls;
        }

        /** {@code retry} is how long until one more call fits. It does not apply to calls that are allowed. */
        @Override
        public UsageReply forFirst(long cost, long now) {
            boolean fits = log.permits - used >= cost;
            return new Reply(log, fits ? cost : 0, used, fits ? 0 : retry, grows, full);
        }

        @Override
        public UsageReply afterCharge(long cost) {
            return new Reply(log, granted, used + cost, retry, used == 0 ? log.period : grows, log.period);
        }
    }

    /** Acquires permits. */
    private final class Acquire extends AcquireOperation {

        private final byte[] arguments;

        Acquire(PermitRequest requested) {
            super(SlidingLog.this, requested);
            this.arguments = ARGUMENTS.pack(requested.kind().ordinal(), requested.cost(), requested.least(), permits, period);
        }

        @Override
        public ScriptFile function() {
            return ScriptFile.SLIDING_LOG_ACQUIRE;
        }

        @Override
        public byte[] arguments(long now) {
            return arguments;
        }

        @Override
        public LimitReply reply(long granted, long used, long retry, long grows, long full) {
            return new Reply(SlidingLog.this, granted, used, retry, grows, full);
        }

        @Override
        public OperationResult decide(Object stored, long now, long newCost) {
            Log log = new Log(stored instanceof CallLog calls ? calls : new CallLog(), now);
            long used = log.used();
            long granted = requested.granted(newCost > 0 ? newCost : requested.cost(), permits - used);
            long acquired = Math.min(granted, MAX_PERMITS_LOGGED - used);
            long grows = used > 0 ? log.untilOnly(Math.min(used, permits) - 1, 0) : 0, full = used > 0 ? log.timeLeft(0) : 0;
            boolean writes = granted > 0 || log.newest() > now || (used > 0 && log.calls.keptFor() < period);
            return new OperationResult(
                    new Reply(SlidingLog.this, granted, used, retry(log, used, granted, acquired), grows, full),
                    requested.kind() != OperationKind.PEEK && writes ? () -> log.with(granted > 0, acquired) : null,
                    granted > 0 ? now + period : now + full);
        }

        /** How long until the same call fits once more; after a charge, until one more permit comes back. */
        private long retry(Log log, long used, long granted, long acquired) {
            long least = requested.least();
            if (requested.kind() == OperationKind.CHARGE) {
                return log.untilOnly(Math.min(used + acquired, permits) - 1, acquired);
            }
            boolean matters = (granted == 0 || least < requested.cost()) && least <= permits;
            return matters && used + acquired + least > permits ? log.untilOnly(permits - least, acquired) : 0;
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
        long timeLeft(int index) {
            return Math.min(calls.time(index), now) + period - now;
        }

        /** How long until at most {@code most} permits count, if {@code acquired} permits are acquired now. */
        long untilOnly(long most, long acquired) {
            if (acquired > most) {
                return period;
            }
            return timeLeft(lastThat(index -> acquired + after(index) > most, expired, 0) - 1);
        }

        /** Adds the acquired permits, and merges entries whose time is in the future. */
        CallLog with(boolean granted, long acquired) {
            if (granted || newest() > now) {
                long total = calls.total(0) + acquired;
                int replaced = newest() < now ? 0 : lastThat(index -> calls.time(index) >= now, 0, expired) + 1;
                int kept = !granted || used() + acquired <= permits ? expired
                        : lastThat(index -> acquired + after(index) >= permits, expired, -1);
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
}
