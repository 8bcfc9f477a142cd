package io.quarkiverse.ratelimit.runtime.algorithm.log;

import static io.quarkiverse.ratelimit.runtime.algorithm.log.CallLog.lastThat;

import io.quarkiverse.ratelimit.runtime.algorithm.AcquireOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;

/** Acquires permits from a sliding log. */
final class SlidingLogAcquire extends AcquireOperation {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.SLIDING_LOG_ACQUIRE, "ARGUMENTS");
    private static final long MAX_PERMITS_LOGGED = 1_000_000_000_000L;

    private final SlidingLog rule;
    private final long permits, period;
    private final byte[] arguments;

    SlidingLogAcquire(SlidingLog rule, PermitRequest requested) {
        super(rule, requested);
        this.rule = rule;
        this.permits = rule.permits();
        this.period = rule.period();
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
        return new SlidingLog.Reply(rule, granted, used, retry, grows, full);
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
                new SlidingLog.Reply(rule, granted, used, retry(log, used, granted, acquired), grows, full),
                requested.kind() != OperationKind.PEEK && writes ? () -> log.with(granted > 0, acquired) : null,
                granted > 0 ? now + period : now + full);
    }

    /** How long until the same call fits once more; after a charge, until one more permit comes back. */
    private long retry(Log log, long used, long granted, long acquired) {
        long least = requested.least();
        if (requested.kind() == OperationKind.CHARGE) {
            return log.untilOnly(Math.min(used + acquired, permits) - 1, acquired);
        }
        boolean matters = granted == 0 || least < requested.cost();
        return matters && least <= permits && used + acquired + least > permits ? log.untilOnly(permits - least, acquired) : 0;
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
