package io.quarkiverse.ratelimit.runtime.algorithm.concurrency;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.UsageReply;

/**
 * Counts calls that run at the same time. The scripts of {@code concurrency} explain the algorithm and implement the same.
 *
 * <p>
 * A call renews its permits by a {@link OperationKind#CHARGE} with its own id.
 */
public record Concurrency(Limit limit, long permits, long leaseTime) implements LimitRule {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.CONCURRENCY_ACQUIRE, "ARGUMENTS");
    private static final Layout REFUND_ARGUMENTS = Layout.of(ScriptFile.CONCURRENCY_REFUND, "REFUND");
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    public Concurrency(Limit limit) {
        this(limit, limit.permits(), LimitUsage.micros(limit.leaseTime()));
    }

    @Override
    public long fillTime(long now) {
        return 0;
    }

    @Override
    public Operation acquire(PermitRequest requested) {
        return new Acquire(requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        return new ConcurrencyRefund(cost, id);
    }

    /**
     * The reply of a concurrency limit.
     *
     * @param held permits held by all calls
     * @param own permits that the call itself held, at most its cost
     */
    private record Reply(Concurrency rule, long granted, long held, long own) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            boolean allowed = granted > 0;
            long held = this.held + (charged ? granted - own : 0), permits = rule.permits;
            return new LimitUsage(name, rule.limit, allowed, permits, Math.max(0, permits - held), Duration.ZERO,
                    allowed || requested.least() > permits ? Duration.ZERO : RETRY_AFTER, Duration.ZERO, Duration.ZERO);
        }

        /** Permits come back when calls end, which is unknown. */
        @Override
        public LimitState refilledAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
            return state(name, requested, now, charged);
        }

        @Override
        public UsageReply forFirst(long cost, long now) {
            throw new UnsupportedOperationException("Calls that hold permits are not merged");
        }

        @Override
        public UsageReply afterCharge(long cost) {
            throw new UnsupportedOperationException("Calls that hold permits are not merged");
        }
    }

    private final class Acquire implements Operation {

        private final PermitRequest requested;
        private final long cost;

        Acquire(PermitRequest requested) {
            this.requested = requested;
            // a cost above the limit is denied anyway, so the exact number does not matter
            this.cost = requested.kind() == OperationKind.CHARGE ? requested.cost() : Math.min(requested.cost(), permits + 1);
        }

        @Override
        public ScriptFile function() {
            return ScriptFile.CONCURRENCY_ACQUIRE;
        }

        @Override
        public byte[] arguments(long now) {
            return ARGUMENTS.pack(requested.kind().ordinal(), cost, requested.least(), permits, leaseTime, requested.id());
        }

        @Override
        public LimitReply reply(long granted, long held, long own, long third, long fourth) {
            return new Reply(Concurrency.this, granted, held, own);
        }

        @Override
        public OperationResult decide(Object stored, long now, long newCost) {
            HeldPermits held = stored instanceof HeldPermits permitsHeld ? permitsHeld : new HeldPermits();
            long count = newCost > 0 ? newCost : cost;
            long live = held.live(now);
            long own = held.own(requested.id(), count, now);
            long granted = requested.granted(count, permits - live + own);
            Reply reply = new Reply(Concurrency.this, granted, live, own);
            boolean peeks = requested.kind() == OperationKind.PEEK;
            if (granted > 0 && !peeks) {
                return new OperationResult(reply,
                        () -> held.broughtForward(now).hold(requested.id(), granted, now + leaseTime).settled(now),
                        Math.max(held.latest(now), now + leaseTime));
            }
            return new OperationResult(reply,
                    held.jumpedBack(now) > 0 && !peeks ? () -> held.broughtForward(now).settled(now) : null,
                    held.latest(now));
        }
    }

    /**
     * Releases permits.
     *
     * @param count number of permits
     * @param id the id of the call that holds them
     */
    private record ConcurrencyRefund(long count, long id) implements Operation {

        @Override
        public ScriptFile function() {
            return ScriptFile.CONCURRENCY_REFUND;
        }

        @Override
        public byte[] arguments(long now) {
            return REFUND_ARGUMENTS.pack(count, id);
        }

        @Override
        public OperationResult decide(Object stored, long now, long newCost) {
            if (!(stored instanceof HeldPermits held)) {
                return OperationResult.unchanged();
            }
            long own = held.own(id, held.live(now), now);
            return OperationResult.allowed(own == 0 ? null : () -> held.release(id, Math.max(0, own - count), own).settled(now),
                    held.latest(now));
        }
    }
}
