package io.quarkiverse.ratelimit.runtime.algorithm.log;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;
import static io.quarkiverse.ratelimit.runtime.algorithm.log.CallLog.lastThat;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.UsageReply;

/** Counts by a sliding log. The scripts of {@code sliding_log} explain the algorithm and implement the same. */
public record SlidingLog(Limit limit, long permits, long period) implements LimitRule {

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
        return new SlidingLogAcquire(this, requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        return new SlidingLogRefund(cost, at);
    }

    /**
     * The reply of a sliding log.
     *
     * @param used permits that count
     * @param retry microseconds until the cost fits; of a charge, until one more permit comes back
     * @param grows microseconds until one more permit comes back
     * @param full microseconds until no permit counts
     */
    record Reply(SlidingLog log, long granted, long used, long retry, long grows, long full) implements UsageReply {

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

    /**
     * Refunds permits.
     *
     * @param refunded number of permits
     * @param acquiredAt when they were acquired
     */
    private record SlidingLogRefund(long refunded, long acquiredAt) implements Operation {

        private static final Layout ARGUMENTS = Layout.of(ScriptFile.SLIDING_LOG_REFUND, "REFUND");
        /** If there are more newer entries than this, permits are not refunded: a refund rewrites every newer entry. */
        private static final int MAX_NEWER = 10_000;

        @Override
        public ScriptFile function() {
            return ScriptFile.SLIDING_LOG_REFUND;
        }

        @Override
        public byte[] arguments(long now) {
            return ARGUMENTS.pack(refunded, acquiredAt);
        }

        @Override
        public OperationResult decide(Object stored, long now, long newCost) {
            if (!(stored instanceof CallLog calls)) {
                return OperationResult.unchanged();
            }
            int base = calls.size() - 1;
            int entry = lastThat(index -> calls.time(index) > acquiredAt, -1, base) + 1;
            if (entry >= base || entry > MAX_NEWER || calls.time(entry) != acquiredAt) {
                return OperationResult.unchanged();
            }
            long count = calls.total(entry) - calls.total(entry + 1);
            int newest = entry == 0 && count <= refunded ? 1 : 0;
            return OperationResult.allowed(() -> without(calls, entry, Math.min(refunded, count)),
                    calls.time(newest) + calls.keptFor());
        }

        private static CallLog without(CallLog calls, int entry, long count) {
            calls.refund(entry, count);
            return calls.size() == 1 ? null : calls;
        }
    }
}
