package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;

/** Counts by a sliding log. The scripts of {@code sliding_log} explain the algorithm and implement the same. */
public record SlidingLog(Limit limit, long permits, long period) implements LimitRule {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.SLIDING_LOG_ACQUIRE, "ARGUMENTS");
    private static final Layout REFUND = Layout.of(ScriptFile.SLIDING_LOG_REFUND, "REFUND");
    private static final long MAX_PERMITS_LOGGED = 1_000_000_000_000L;
    /** If there are more newer entries than this, permits are not refunded: a refund rewrites every newer entry. */
    private static final int MAX_NEWER = 10_000;

    public SlidingLog(Limit limit) {
        this(limit, limit.permits(), micros(limit.period()));
    }

    @Override
    public KeyLayout layout() {
        return KeyLayout.SLIDING_LOG;
    }

    @Override
    public AcquireOperation acquire(PermitRequest requested) {
        return new AcquireOperation(this, requested, ScriptFile.SLIDING_LOG_ACQUIRE,
                ARGUMENTS.pack(requested.kind().ordinal(), requested.cost(), requested.least(), permits, period));
    }

    @Override
    public UsageReply reply(long granted, long used, long retry, long grows, long full) {
        return new Reply(this, granted, used, retry, grows, full);
    }

    @Override
    public OperationResult decide(PermitRequest requested, long cost, Object stored, long now) {
        Log log = new Log(stored instanceof CallLog calls ? calls : new CallLog(), now);
        long used = log.used(), granted = requested.granted(cost, permits - used, permits);
        long acquired = Math.min(granted, MAX_PERMITS_LOGGED - used);
        long grows = used > 0 ? log.untilOnly(Math.min(used, permits) - 1, 0) : 0,
                full = used > 0 ? log.timeLeft(log.newest) : 0;
        boolean writes = granted > 0 || log.isAhead() || used > 0 && log.calls.keptFor < period;
        return new OperationResult(
                new Reply(this, granted, used, retry(requested, log, used, granted, acquired), grows, full),
                writes ? () -> log.with(granted > 0, acquired) : null, granted > 0 ? now + period : now + full);
    }

    /** Returns the time until the same call fits once more. After a charge, it is the time until one more permit comes back. */
    private long retry(PermitRequest requested, Log log, long used, long granted, long acquired) {
        long least = requested.least();
        if (requested.kind() == OperationKind.CHARGE) {
            return log.untilOnly(Math.min(used + acquired, permits) - 1, acquired);
        }
        boolean matters = (granted == 0 || least < requested.cost()) && least <= permits;
        return matters && used + acquired + least > permits ? log.untilOnly(permits - least, acquired) : 0;
    }

    @Override
    public PlainOperation refund(LimitState decided, long at, long cost, long id) {
        return new PlainOperation(ScriptFile.SLIDING_LOG_REFUND, () -> REFUND.pack(cost, at), (stored, now) -> {
            if (!(stored instanceof CallLog calls)) {
                return OperationResult.unchanged();
            }
            int newest = calls.size() - 1, entry = calls.first(1, position -> calls.time(position) >= at);
            if (entry > newest || newest - entry > MAX_NEWER || calls.time(entry) != at) {
                return OperationResult.unchanged();
            }
            long count = calls.total(entry) - calls.total(entry - 1);
            int newestKept = entry == newest && count <= cost ? newest - 1 : newest;
            return OperationResult.allowed(() -> calls.refund(entry, Math.min(cost, count)),
                    calls.time(newestKept) + calls.keptFor);
        });
    }

    /**
     * @param used permits that count
     * @param retry microseconds until the cost fits; of a charge, until one more permit comes back
     * @param grows microseconds until one more permit comes back
     * @param full microseconds until no permit counts
     */
    private record Reply(SlidingLog rule, long granted, long used, long retry, long grows, long full) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            boolean allowed = granted > 0, charges = allowed && charged;
            long next = !charges ? grows : requested.kind() == OperationKind.CHARGE ? retry : used > 0 ? grows : rule.period;
            long remaining = Math.max(0, rule.permits - used - (charges ? granted : 0));
            return new LimitUsage(name, rule.limit, allowed, rule.permits, remaining, 0, allowed ? 0 : retry,
                    remaining == rule.permits ? 0 : next, charges ? rule.period : full);
        }

        /**
         * Estimates the permits from the times of the first and the last one that comes back. Between them, one is certainly
         * back.
         */
        @Override
        public LimitState later(LimitState decided, long micros, long now, boolean charged) {
            Duration first = decided.nextPermitAfter(), last = decided.resetAfter();
            long back = micros < micros(first) ? 0 : micros < micros(last) ? 1 : decided.permits();
            return LimitUsage.later(decided, micros, Math.min(decided.permits(), decided.remaining() + back),
                    LimitUsage.less(back == 0 ? first : last, micros));
        }

        /**
         * Returns the reply to one call. {@code retry} is the time until one more call fits. It does not apply to calls that
         * are allowed.
         */
        @Override
        public Reply toOne(long cost, long charged, long now) {
            long before = used + charged;
            boolean fits = rule.permits - before >= cost;
            return new Reply(rule, fits ? cost : 0, before, fits ? 0 : retry, charged > 0 && used == 0 ? rule.period : grows,
                    charged > 0 ? rule.period : full);
        }
    }

    /** The log as of now. */
    private final class Log {

        private final CallLog calls;
        private final long now;
        private final int newest;
        /** Newest entry that no longer counts. */
        private final int expired;

        Log(CallLog calls, long now) {
            this.calls = calls;
            this.now = now;
            this.newest = calls.size() - 1;
            this.expired = calls.first(1, position -> calls.time(position) + period > now) - 1;
        }

        long used() {
            return after(expired);
        }

        /** Returns how many permits were acquired after this entry. */
        private long after(int position) {
            return calls.total(newest) - calls.total(position);
        }

        boolean isAhead() {
            return calls.time(newest) > now;
        }

        /** Returns the time until an entry no longer counts. */
        private long timeLeft(int position) {
            return Math.min(calls.time(position), now) + period - now;
        }

        /** Returns the time until at most {@code most} permits count, if {@code acquired} permits are acquired now. */
        long untilOnly(long most, long acquired) {
            return acquired > most ? period
                    : timeLeft(calls.first(expired + 1, position -> acquired + after(position) <= most));
        }

        /** Adds the acquired permits, and merges entries whose time is in the future. */
        CallLog with(boolean granted, long acquired) {
            if (granted || isAhead()) {
                long total = calls.total(newest) + acquired;
                int end = calls.time(newest) < now ? calls.size()
                        : calls.first(expired + 1, position -> calls.time(position) >= now);
                int oldest = granted ? (int) Math.max(expired, newest + 1 - permits) : expired;
                int base = oldest == expired ? expired : Math.min(oldest, end) - 1;
                calls.set(base, calls.time(expired), calls.total(expired));
                calls.keep(base, end);
                calls.add(now, total);
            }
            calls.keptFor = period;
            return calls;
        }
    }
}
